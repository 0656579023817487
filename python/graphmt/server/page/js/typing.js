// The text field: reports its text when typing stops, grows with it, and counts.

import { plural } from "./numbers.js";
import { isConllu, trees } from "./text.js";

/** Time without a key after which a text is translated, in milliseconds. */
const PAUSE = 350;

/** Connect the field; `changed(text)` is called after a pause, and at once with Ctrl+Enter or after pasting. */
export function connectText(field, clear, count, changed) {
    let timer = 0;
    const report = () => {
        clearTimeout(timer);
        changed(field.value);
    };
    const measure = () => {
        const isTrees = isConllu(field.value);
        field.classList.toggle("trees", isTrees);
        const words = field.value.trim() ? field.value.trim().split(/\s+/).length : 0;
        count.textContent = isTrees ? plural(trees(field.value).length, "tree") : words ? plural(words, "word") : "";
        clear.hidden = !field.value;
        field.style.height = "auto";
        field.style.height = `${Math.min(field.scrollHeight + 2, 260)}px`;
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
            report();
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
