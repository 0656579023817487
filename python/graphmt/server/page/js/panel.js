// One system's translation of the text: the text, the drawing of the chosen sentence, its rules and alternatives.

import { Alternatives } from "./alternatives.js";
import { explain, Latest, translate } from "./api.js";
import { confidenceMeter } from "./confidence.js";
import { drawDiagram } from "./diagram.js";
import { h, newId, show } from "./dom.js";
import { showFixed, withChoice } from "./fixed.js";
import { showStep } from "./inspector.js";
import { aboutModel, modelSelect } from "./models.js";
import { consensusSection, memorySection, othersSection } from "./neighbours.js";
import { decimal, signed, times } from "./numbers.js";
import { selectionSection } from "./selection-graph.js";
import { asInput, isConllu, trees } from "./text.js";
import { connectWords, lightWords, showSentences } from "./translation.js";

/** Longer sentences get the alternatives of a span when it is chosen, not all at once. */
const LONGEST_WITH_ALL = 25;

/**
 * A panel. `events.sentences(list)` tells the sentences of a new translation, `events.choose(number)` that another one
 * was chosen, `events.point(source, panel)` which source words are pointed at, `events.problem(error)` what failed, and
 * `events.done(text)` the new translation.
 */
export class Panel {
  #translating = new Latest();
  #explaining = new Latest();
  #text = "";
  #sentences = [];
  #sentence = 0;
  /** Fixed choices by sentence. */
  #fixed = new Map();
  #found = null;
  #diagram = null;
  #step = null;
  #anchor = null;

  constructor(models, model, label, events) {
    Object.assign(this, { models, events });
    const heading = newId("panel");
    this.parts = {
      about: h("p", { class: "quiet" }),
      confidence: h("span", {}),
      output: h("div", { class: "output", role: "group", "aria-label": "Translation" }),
      fixed: h("div", { class: "fixed-choices" }),
      scroll: h("div", { class: "scroll" }),
      caption: h("p", { class: "caption", "aria-hidden": "true" }),
      inspector: h("section", { class: "inspector", "aria-label": "Rule" }),
      extras: h("div", { class: "extras" }),
      copy: h("button", { type: "button", class: "plain", on: { click: () => this.#copy() } }, "Copy"),
    };
    this.alternatives = new Alternatives({
      load: (first, end, most, signal) => this.#load(first, end, most, signal),
      choose: (choice) => this.#fix(withChoice(this.#own(), choice)),
      moved: (first, end) => this.#diagram?.select(first, end),
    });
    const { parts } = this;
    this.details = h("div", { class: "details", hidden: true }, parts.fixed, parts.scroll, parts.caption, parts.inspector, parts.extras);
    this.element = h(
      "section",
      { class: "card panel", "aria-labelledby": heading },
      h("h2", { id: heading, class: "hidden" }, label),
      h("div", { class: "card-head" }, (this.select = modelSelect(models, model, label, (name) => this.setModel(name))), parts.confidence, parts.copy),
      parts.about,
      parts.output,
      this.details,
      this.alternatives.element,
    );
    this.#named(model);
    this.#clear("The translation appears here.");
  }

  get model() {
    return this.about.name;
  }

  #named(name) {
    this.about = this.models.find((model) => model.name === name) ?? this.models[0];
    show(this.parts.about, aboutModel(this.about));
  }

  /** Use another system; the text is translated again. */
  setModel(name) {
    if (name === this.model) return;
    this.#named(name);
    this.select.querySelector("select").value = name;
    this.events.model?.(name, this);
    this.#translate();
  }

  /** Translate a text and show one of its sentences; fixed choices of another text are released. */
  async show(text, sentence = 0) {
    if (text === this.#text && this.#found) {
      await this.setSentence(sentence);
      return;
    }
    this.#text = text;
    this.#sentence = sentence;
    await this.#translate();
  }

  async #translate() {
    this.#fixed = new Map();
    await this.#refresh();
  }

  /** Show another sentence of the text. */
  async setSentence(number) {
    if (number === this.#sentence) return;
    this.#sentence = number;
    this.#showText();
    await this.#explain();
  }

  async #refresh() {
    this.alternatives.close();
    this.#explaining.abort();
    if (!this.#text.trim()) {
      this.#translating.abort();
      this.#sentences = [];
      this.#clear("The translation appears here.");
      this.events.done?.("", this);
      return;
    }
    this.element.setAttribute("aria-busy", "true");
    const fixed = [...this.#fixed].flatMap(([sentence, spans]) => spans.map((one) => ({ sentence, ...one })));
    const body = { ...asInput(this.#text), model: this.model, confidence: true, fixed };
    const answer = await this.#asked(this.#translating, (signal) => translate(body, signal));
    if (!answer) return;
    this.#sentences = answer.sentences;
    this.#sentence = Math.max(0, Math.min(this.#sentence, answer.sentences.length - 1));
    this.events.done?.([answer.translation].flat().join("\n"), this);
    this.events.sentences?.(answer.sentences, this);
    if (!answer.sentences.length) {
      this.#clear([answer.translation].flat().join("\n"));
      return;
    }
    this.#showText();
    await this.#explain();
  }

  /** The answer of a request; problems are shown, and undefined is returned. */
  async #asked(latest, work) {
    try {
      const answer = await latest.run(work);
      if (answer) this.element.removeAttribute("aria-busy");
      return answer;
    } catch (error) {
      this.element.removeAttribute("aria-busy");
      this.#sentences = [];
      this.#clear("");
      show(this.parts.output, h("p", { class: "problem" }, error.message), error.hint && h("p", { class: "quiet" }, error.hint));
      this.events.problem?.(error, this);
      return undefined;
    }
  }

  #clear(text) {
    this.element.removeAttribute("aria-busy");
    this.#found = this.#diagram = this.#step = null;
    show(this.parts.output, h("p", { class: text && this.#text.trim() ? "sentence" : "quiet empty" }, text));
    show(this.parts.confidence);
    this.details.hidden = true;
  }

  #showText() {
    showSentences(this.parts.output, this.#sentences, this.#sentence, (number) => this.events.choose?.(number));
    const sure = this.#sentences[this.#sentence]?.confidence;
    show(this.parts.confidence, sure && confidenceMeter(sure));
  }

  #question() {
    const text = isConllu(this.#text) ? { conllu: trees(this.#text)[this.#sentence] } : { text: this.#sentences[this.#sentence].text };
    return { ...text, model: this.model, fixed: this.#own() };
  }

  #own() {
    return this.#fixed.get(this.#sentence) ?? [];
  }

  async #explain() {
    if (!this.#sentences.length) return;
    const words = this.#sentences[this.#sentence].source.tokens.length;
    const body = { ...this.#question(), alternatives: words <= LONGEST_WITH_ALL ? 5 : 0 };
    const found = await this.#asked(this.#explaining, (signal) => explain(body, signal));
    if (found) this.#showFound(found);
  }

  async #load(first, end, most, signal) {
    const body = { ...this.#question(), alternatives: most, span: [first, end], n_best: 1, neighbours: 0 };
    return (await explain(body, signal)).alternatives;
  }

  #showFound(found) {
    const font = `16px ${getComputedStyle(document.body).fontFamily}`;
    this.#found = found;
    this.#step = null;
    const events = { point: (what) => this.#point(what), choose: (what) => this.#choose(what) };
    this.#diagram = drawDiagram(found, { font, ...events });
    this.details.hidden = false;
    show(this.parts.scroll, this.#diagram.element);
    this.#point({ step: null, source: [] });
    connectWords(this.parts.output, found.translation, this.#diagram, {
      point: events.point,
      choose: (step, anchor) => this.#chooseStep(step, anchor),
    });
    showFixed(this.parts.fixed, this.#own(), found, (fixed) => this.#fix(fixed));
    showStep(this.parts.inspector, found, null);
    show(
      this.parts.extras,
      othersSection(found.others, found.translation, signed),
      found.selection && selectionSection(found.selection, font),
      found.consensus && consensusSection(found.consensus),
      found.neighbours && memorySection(found.neighbours, found.memory),
    );
  }

  #point({ step, source }) {
    this.#diagram.light(step);
    lightWords(this.parts.output, step);
    this.#caption(step);
    this.events.point?.(source, this);
  }

  /** Light up what translates some source words, as the other panel asks. */
  lightSource(positions) {
    this.#diagram?.lightSource(positions);
  }

  #caption(number) {
    const step = number === null ? null : this.#diagram.steps[number];
    const scored = step && this.#found.translation.steps[number];
    show(
      this.parts.caption,
      step
        ? [h("strong", { dir: "auto" }, step.rule), ` ${step.count > 0 ? ` \u00b7 seen ${times(step.count)}` : ""} \u00b7 ${decimal(scored.score)}`]
        : "Point at a word to see its rule; choose one for alternatives.",
    );
  }

  #choose({ first, end, step, extend, anchor }) {
    let [from, to] = [first, end];
    if (extend && this.#anchor) {
      from = Math.min(first, this.#anchor.first);
      to = Math.max(end, this.#anchor.end);
    } else this.#anchor = { first, end };
    this.#inspect(step);
    this.alternatives.open(this.#found, from, to, anchor);
  }

  #chooseStep(number, anchor) {
    const { source } = this.#diagram.steps[number];
    if (source.length) this.#choose({ first: source[0], end: source.at(-1) + 1, step: number, anchor });
    else this.#inspect(number);
  }

  #inspect(number) {
    this.#step = number;
    const step = number === null ? null : this.#diagram.steps[number];
    showStep(this.parts.inspector, this.#found, step, (first, end, button) => this.alternatives.open(this.#found, first, end, button));
  }

  /** Translate again with these choices fixed. */
  async #fix(fixed) {
    this.#fixed.set(this.#sentence, fixed);
    await this.#refresh();
  }

  async #copy() {
    const text = this.#sentences.map((one) => one.translations[0].text).join(" ");
    try {
      await navigator.clipboard.writeText(text);
      show(this.parts.copy, "Copied");
    } catch {
      show(this.parts.copy, "Cannot copy");
    }
    setTimeout(() => show(this.parts.copy, "Copy"), 1500);
  }
}
