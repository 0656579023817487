// The text field: reports its text when typing stops, grows with it, and counts.

import { plural } from "./numbers.js";
import { isConllu, trees } from "./text.js";

/** Time without a key after which a text is translated, in milliseconds. */
const PAUSE = 350;
/** The height to which the field grows, in pixels. */
const HIGHEST = 260;

/**
 * Connect the field; `changed(text, isAsked)` is called after a pause, at once after pasting, and with Ctrl+Enter,
 * which asks for a translation even if the text is the same.
 */
export function connectText(field, clear, count, changed) {
    let timer = 0;
    const report = (isAsked = false) => {
        clearTimeout(timer);
        changed(field.value, isAsked);
    };
    const measure = () => {
        const isTrees = isConllu(field.value);
        field.classList.toggle("trees", isTrees);
        const words = field.value.trim() ? field.value.trim().split(/\s+/).length : 0;
        count.textContent = isTrees ? plural(trees(field.value).length, "tree") : words ? plural(words, "word") : "";
        clear.hidden = !field.value;
        field.style.height = "auto";
        const frame = field.offsetHeight - field.clientHeight;
        // Whole lines, so that scrolled text is not cut.
        const line = parseFloat(getComputedStyle(field).lineHeight);
        const most = line * Math.floor(HIGHEST / line);
        field.style.height = `${Math.min(field.scrollHeight, most) + frame}px`;
    };
    field.addEventListener("input", (event) => {
        measure();
        clearTimeout(timer);
        if (event.isComposing) return;
        if (event.inputType === "insertFromPaste") report();
        else timer = setTimeout(report, PAUSE);
    });
    field.addEventListener("compositionend", () => {
        clearTimeout(timer);
        timer = setTimeout(report, PAUSE);
    });
    field.addEventListener("keydown", (event) => {
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
            event.preventDefault();
            report(true);
        }
    });
    clear.addEventListener("click", () => {
        field.value = "";
        measure();
        report();
        field.focus();
    });
    measure();
    // A browser may restore the text of the last visit.
    if (field.value) report();
}
