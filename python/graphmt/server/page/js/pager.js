// Which sentence of the text is shown, and buttons for the one before and after it.

import { h, show } from "./dom.js";

export function showPager(element, sentence, count, choose) {
    element.hidden = count < 2;
    if (count < 2) return;
    const focused = element.contains(document.activeElement) ? document.activeElement.getAttribute("aria-label") : null;
    const step = (label, text, to) =>
        h(
            "button",
            {
                type: "button",
                class: "plain",
                "aria-label": label,
                "aria-disabled": to < 0 || to >= count ? "true" : null,
                on: { click: () => to >= 0 && to < count && choose(to) },
            },
            text,
        );
    show(
        element,
        step("Previous sentence", "\u2039", sentence - 1),
        h("span", {}, `Sentence ${sentence + 1} of ${count}`),
        step("Next sentence", "\u203a", sentence + 1),
    );
    if (focused) element.querySelector(`[aria-label="${focused}"]`)?.focus();
}
