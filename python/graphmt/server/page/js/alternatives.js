// Alternatives of a span in a popover: chosen by a click, and then fixed. Escape or a click elsewhere closes it.

import { h, newId, show } from "./dom.js";
import { Latest } from "./api.js";
import { decimal } from "./numbers.js";

const MORE = 20;

/**
 * A popover. `load(first, end, most)` asks the server for more; `choose({first, end, target})` fixes an option;
 * `moved(first, end)` tells which span is shown, an empty one when it is closed.
 */
export class Alternatives {
    #latest = new Latest();
    #title = newId("alternatives");

    constructor({ load, choose, moved }) {
        Object.assign(this, { load, choose, moved });
        const attributes = { class: "popover", popover: "auto", role: "dialog", tabindex: -1 };
        this.element = h("div", { ...attributes, "aria-labelledby": this.#title });
        this.element.addEventListener("keydown", (event) => this.#key(event));
        this.element.addEventListener("toggle", (event) => {
            if (event.newState !== "closed") return;
            this.#latest.abort();
            this.moved(0, 0);
        });
    }

    /** Show the alternatives of a span of an explained sentence beside an element. */
    open(found, first, end, anchor) {
        Object.assign(this, { found, first, end });
        if (!this.element.matches(":popover-open")) {
            this.element.showPopover();
            this.back = anchor;
        }
        this.#place(anchor);
        this.element.focus({ preventScroll: true });
        this.#render();
    }

    close() {
        if (!this.element.matches(":popover-open")) return;
        this.element.hidePopover();
        this.back?.focus?.({ preventScroll: true });
    }

    /** Arrow keys, Home and End move among the options. */
    #key(event) {
        if (!["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) return;
        event.preventDefault();
        const all = [...this.element.querySelectorAll(".options button")];
        const at = all.indexOf(document.activeElement);
        const last = all.length - 1;
        const to = {
            ArrowDown: Math.min(at + 1, last),
            ArrowUp: at < 0 ? last : Math.max(at - 1, 0),
            Home: 0,
            End: last,
        }[event.key];
        all[to]?.focus();
    }

    async #render() {
        this.moved(this.first, this.end);
        const { tokens } = this.found.source;
        const list = h("div", { class: "options" });
        show(
            this.element,
            h("h3", { id: this.#title, dir: "auto" }, tokens.slice(this.first, this.end).join(" ")),
            this.#sizes(tokens.length),
            list,
        );
        await this.#more(list, 5);
    }

    /** Buttons that change the span, for those who cannot select it by Shift and a click. */
    #sizes(count) {
        const change = (label, sign, first, end) => {
            const able = first >= 0 && end <= count && first < end;
            const click = () => {
                [this.first, this.end] = [first, end];
                this.#render().then(() => this.element.querySelector(`[data-size="${label}"]`)?.focus());
            };
            const disabled = able ? null : "true";
            const attributes = {
                type: "button",
                "data-size": label,
                "aria-label": label,
                title: label,
                "aria-disabled": disabled,
            };
            return h("button", { ...attributes, on: able ? { click } : {} }, sign);
        };
        return h(
            "div",
            { class: "sizes", role: "group", "aria-label": "Span" },
            h("span", { "aria-hidden": "true" }, "Before"),
            change("One word less at the beginning", "\u2212", this.first + 1, this.end),
            change("One word more at the beginning", "+", this.first - 1, this.end),
            h("span", { "aria-hidden": "true" }, "After"),
            change("One word less at the end", "\u2212", this.first, this.end - 1),
            change("One word more at the end", "+", this.first, this.end + 1),
            h(
                "button",
                { type: "button", class: "plain close", "aria-label": "Close", on: { click: () => this.close() } },
                "\u00d7",
            ),
        );
    }

    async #more(list, most) {
        // The button that asked for more goes away.
        if (list.contains(document.activeElement)) this.element.focus({ preventScroll: true });
        show(list, h("p", { class: "quiet" }, "Looking for alternatives\u2026"));
        const { first, end } = this;
        try {
            const spans = await this.#latest.run((signal) => this.load(first, end, most, signal));
            if (spans === undefined) return;
            const span = spans.find((one) => one.fixable);
            if (span) this.#list(list, span, most < MORE);
            else show(list, h("p", { class: "quiet" }, "The system has no translation of these words as a unit."));
        } catch (error) {
            show(list, h("p", { class: "problem" }, error.message));
        }
    }

    #list(list, span, canGrow) {
        const { first, end } = this;
        const options = span.options.map((option) =>
            h(
                "li",
                {},
                h(
                    "button",
                    {
                        type: "button",
                        class: `option${option.chosen ? " chosen" : ""}`,
                        "aria-current": option.chosen ? "true" : null,
                        on: { click: () => this.#chosen(first, end, option) },
                    },
                    h("span", { class: "option-text", dir: "auto" }, option.text || "\u2205"),
                    h("span", { class: "option-about" }, aboutOption(option)),
                ),
            ),
        );
        const more =
            canGrow &&
            span.options.length >= 5 &&
            h("button", { type: "button", class: "plain", on: { click: () => this.#more(list, MORE) } }, "More\u2026");
        show(
            list,
            options.length ? h("ul", {}, options) : h("p", { class: "quiet" }, "No alternatives."),
            more,
            h("p", { class: "quiet" }, "A click fixes this translation of the span."),
        );
        // Unless somebody has moved on to the buttons above while the options were looked for.
        if (document.activeElement === this.element)
            (list.querySelector("[aria-current]") ?? list.querySelector("button"))?.focus({ preventScroll: true });
    }

    #chosen(first, end, option) {
        this.close();
        this.choose({ first, end, target: option.text });
    }

    /** Below the anchor, inside the window; narrow windows get it at the bottom by their style sheet. */
    #place(anchor) {
        const box = anchor.getBoundingClientRect();
        const own = this.element.getBoundingClientRect();
        const left = Math.max(8, Math.min(box.left, document.documentElement.clientWidth - own.width - 8));
        this.element.style.setProperty("--left", `${left + scrollX}px`);
        this.element.style.setProperty("--top", `${box.bottom + scrollY + 6}px`);
    }
}

function aboutOption({ score, kind, chosen }) {
    const kinds = { derivation: "several rules", copy: "copied" };
    return [decimal(score), kinds[kind], chosen && "in use"].filter(Boolean).join(" \u00b7 ");
}
