// The elements of a panel.

import { h, newId } from "./dom.js";

/** The `element` of a panel, its `parts`, and the `details` that explain a sentence. */
export function panelParts(label, select, popover, copy) {
    const heading = newId("panel");
    const parts = {
        select,
        about: h("p", { class: "quiet" }),
        consensus: h("span"),
        confidence: h("span", { class: "sure" }),
        copy: h("button", { type: "button", class: "plain", on: { click: copy } }, "Copy"),
        output: h("div", { class: "output", role: "group", "aria-label": "Translation", tabindex: 0 }),
        fixed: h("div", { class: "fixed-choices" }),
        scroll: h("div", { class: "scroll" }),
        caption: h("p", { class: "caption", "aria-hidden": "true" }),
        inspector: h("div", { class: "inspector", role: "group", "aria-label": "Rule" }),
        extras: h("div", { class: "extras" }),
    };
    const { fixed, scroll, caption, inspector, extras } = parts;
    const details = h("div", { class: "details", hidden: true }, fixed, scroll, caption, inspector, extras);
    const element = h(
        "section",
        { class: "card panel", "aria-labelledby": heading },
        h("h2", { id: heading, class: "hidden" }, label),
        h("div", { class: "card-head" }, select, parts.consensus, parts.confidence, parts.copy),
        parts.about,
        parts.output,
        details,
        popover,
    );
    return { parts, details, element };
}
