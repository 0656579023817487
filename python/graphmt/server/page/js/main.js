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
const store = createStore({ text: "", view: "tab-sentence", sentence: 0, sentences: 0, comparing: false, glossary: [] });
let models = [];
let panels = [];
let documentView = null;

connectTheme(byId("theme"));
const chooseTab = connectTabs(document.querySelector('[role="tablist"]'), (view) => store.set({ view }));
connectText(byId("text"), byId("clear"), byId("count"), (text) => store.set({ text, sentence: 0 }));
connectGlossary(byId("terms"), byId("use-glossary"), byId("term-count"), (glossary) => store.set({ glossary }));

byId("compare").addEventListener("click", () => store.set({ comparing: !store.get().comparing }));
byId("key-form").addEventListener("submit", (event) => {
    event.preventDefault();
    setKey(byId("key").value);
    start();
});

const events = {
    sentences: (list, panel) => {
        if (panel !== panels[0]) return;
        store.set({ sentences: list.length, sentence: Math.max(0, Math.min(store.get().sentence, list.length - 1)) });
    },
    choose: (sentence) => store.set({ sentence }),
    point: (source, panel) => {
        for (const other of panels) if (other !== panel) other.lightSource(source);
    },
    done: (text, panel) => {
        if (!text && panel === panels[0]) store.set({ sentences: 0 });
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
    const isDocument = state.view === "tab-document";
    if (changed.has("glossary")) for (const one of [...panels, documentView]) one.glossary = state.glossary;
    if (changed.has("comparing")) showPanels(state);
    if (changed.has("text") || changed.has("view") || changed.has("glossary")) {
        if (isDocument) documentView.translate(state.text);
        else {
            documentView.stop();
            for (const panel of panels) panel.show(state.text, state.sentence);
        }
    } else if (changed.has("sentence")) {
        for (const panel of panels) panel.setSentence(state.sentence);
    }
    if (changed.has("sentence") || changed.has("sentences")) {
        showPager(byId("pager"), state.sentence, state.sentences, (sentence) => store.set({ sentence }));
    }
});

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
    documentView = new DocumentView(byId("view-document"), models, first, {
        problem: events.problem,
        inspect: (sentence, model) => {
            panels[0].setModel(model);
            store.set({ sentence });
            chooseTab("tab-sentence");
        },
    });
    show(byId("version"), `${plural(models.length, "system")} served`);
    const { text, sentence, glossary } = store.get();
    panels[0].glossary = documentView.glossary = glossary;
    panels[0].show(text, sentence);
}

start();
