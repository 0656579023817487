// The page: connects the text, the panels, the document view, and the settings.

import { getModels, setKey } from "./api.js";
import { DocumentView } from "./document.js";
import { h, show } from "./dom.js";
import { connectGlossary } from "./glossary.js";
import { plural } from "./numbers.js";
import { Panel } from "./panel.js";
import { showPager } from "./pager.js";
import { createStore, preferences } from "./state.js";
import { connectTabs } from "./tabs.js";
import { connectText } from "./typing.js";
import { connectTheme } from "./theme.js";

const byId = (id) => document.getElementById(id);
const nothing = { text: "", view: "tab-sentence", sentence: 0, sentences: 0, comparing: false, glossary: [] };
const store = createStore(nothing);
let models = [];
let panels = [];
let documentView = null;

connectTheme(byId("theme"));
const chooseTab = connectTabs(document.querySelector('[role="tablist"]'), (view) => store.set({ view }));
connectText(byId("text"), byId("clear"), byId("count"), (text, isAsked) => {
    if (text !== store.get().text) store.set({ text, sentence: 0 });
    else if (isAsked) for (const panel of panels) panel.retry();
    if (isAsked && !models.length) start();
});
connectGlossary(byId("terms"), byId("use-glossary"), byId("term-count"), (glossary) => store.set({ glossary }));

byId("compare").addEventListener("click", () => store.set({ comparing: !store.get().comparing }));
byId("key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    setKey(byId("key").value);
    start();
});

const events = {
    changed: (panel) => {
        if (panel !== panels[0]) return;
        const { state, sentence, sentences } = panel.session;
        store.set({ sentences: sentences.length });
        // Until all sentences are there, the chosen one may still come.
        if (state === "done") store.set({ sentence });
    },
    choose: (sentence) => store.set({ sentence }),
    point: (source, panel) => {
        for (const other of panels) if (other !== panel) other.lightSource(source);
    },
    done: (text, panel) => {
        const name = panels.length > 1 ? `${panel.model}: ` : "";
        show(byId("status"), text && `${name}${text}`);
    },
    problem: (error) => {
        if (error.status === 403) askForKey(error);
        // The sentence itself is in the panel; screen readers hear it here.
        show(byId("status"), error.message);
    },
    model: (name, panel) => preferences.set(panel === panels[1] ? "second-model" : "model", name),
};

store.subscribe((state, changed) => {
    if (!models.length) return;
    if (changed.has("glossary")) for (const panel of panels) panel.glossary = state.glossary;
    if (changed.has("comparing")) showPanels(state);
    if (["text", "view", "glossary"].some((name) => changed.has(name))) showText(state);
    else if (changed.has("sentence")) for (const panel of panels) panel.setSentence(state.sentence);
    if (changed.has("sentence") || changed.has("sentences")) {
        showPager(byId("pager"), state.sentence, state.sentences, (sentence) => store.set({ sentence }));
    }
});

/** Both views show the session of the first panel. */
function showText({ text, view, sentence }) {
    const isDocument = view === "tab-document";
    for (const panel of panels) panel.isShown = !isDocument;
    documentView.isShown = isDocument;
    for (const panel of isDocument ? panels.slice(0, 1) : panels) panel.show(text, sentence);
}

function showPanels({ comparing, text, sentence, glossary }) {
    byId("compare").setAttribute("aria-pressed", String(comparing));
    byId("panels").classList.toggle("two", comparing);
    document.body.classList.toggle("wide", comparing);
    if (comparing) {
        const second = models.find((one) => one.name !== panels[0].model) ?? models[0];
        panels.push(new Panel(models, known("second-model") ?? second.name, "Second system", events));
        panels[1].glossary = glossary;
        panels[1].show(text, sentence);
    } else panels.splice(1);
    show(
        byId("panels"),
        panels.map((panel) => panel.element),
    );
}

function known(name) {
    const stored = preferences.get(name, "");
    return models.some((model) => model.name === stored) ? stored : undefined;
}

function askForKey(error) {
    byId("key-form").hidden = false;
    show(byId("problem"), h("p", { class: "problem" }, error.message));
}

async function start() {
    show(byId("problem"));
    try {
        ({ models } = await getModels());
    } catch (error) {
        if (error.status === 403) askForKey(error);
        else show(byId("problem"), h("p", { class: "problem" }, error.message), h("p", { class: "quiet" }, error.hint));
        return;
    }
    byId("key-form").hidden = true;
    const first = known("model") ?? models[0].name;
    panels = [];
    panels.push(new Panel(models, first, "System", events));
    show(byId("panels"), panels[0].element);
    documentView = new DocumentView(byId("view-document"), models, panels[0].session, {
        model: (name) => panels[0].setModel(name),
        inspect: (sentence) => {
            store.set({ sentence });
            chooseTab("tab-sentence");
            panels[0].focusSentence();
        },
    });
    show(byId("version"), `${plural(models.length, "system")} served`);
    panels[0].glossary = store.get().glossary;
    showText(store.get());
}

start();
