// The choice of a system.

import { h } from "./dom.js";

/** A labelled select element with all models. */
export function modelSelect(models, chosen, label, change) {
    const select = h(
        "select",
        { on: { change: () => change(select.value) } },
        models.map((model) => h("option", { value: model.name, selected: model.name === chosen }, optionText(model))),
    );
    return h("label", { class: "model" }, h("span", {}, label), select);
}

function optionText(model) {
    const languages = model.source && model.target ? ` (${model.source} \u2192 ${model.target})` : "";
    return `${model.name}${languages}`;
}

/** A model in a few words. */
export function aboutModel(model) {
    const parts = [model.summary];
    if (model.parser) parts.push(`parsed by ${model.parser}`);
    if (model.selection.length) parts.push(`lexical selection: ${model.selection.join(", ")}`);
    if (model.consensus) parts.push("consensus");
    if (model.memory) parts.push(`memory of ${model.memory.toLocaleString("en")}`);
    if (!model.input.includes("text")) parts.push("needs trees in CoNLL-U");
    return parts.join(" \u00b7 ");
}
