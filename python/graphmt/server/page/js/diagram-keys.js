// Keys of the drawing: one tab stop; arrows move among the words; Enter or Space chooses, with Shift extends the span.

/** Connect the keys. `choose(word, extend)` is called for Enter and Space. Returns a function that focuses a word. */
export function connectKeys(element, words, from, to, choose) {
    const boxes = { source: from.boxes, target: to.boxes };
    const focus = (word, options = {}) => {
        for (const one of element.querySelectorAll('[tabindex="0"]')) one.setAttribute("tabindex", "-1");
        word.setAttribute("tabindex", "0");
        word.focus(options);
        if (!options.preventScroll) word.scrollIntoView({ block: "nearest", inline: "nearest" });
    };
    element.addEventListener("keydown", (event) => {
        const word = event.target.closest?.(".word");
        if (!word || event.ctrlKey || event.altKey || event.metaKey) return;
        const { side } = word.dataset;
        const place = Number(word.dataset.place);
        let to = null;
        if (event.key === "ArrowLeft") to = beside(side, place, -1);
        else if (event.key === "ArrowRight") to = beside(side, place, 1);
        else if (event.key === "ArrowUp" || event.key === "ArrowDown")
            to = across(event.key === "ArrowUp" ? "source" : "target", side, place);
        else if (event.key === "Home") to = words[side][0];
        else if (event.key === "End") to = words[side].at(-1);
        else if (event.key === "Enter" || event.key === " ") {
            event.preventDefault();
            choose(word, event.shiftKey);
            return;
        } else return;
        event.preventDefault();
        if (to) focus(to);
    });
    // The clicked word is where Tab comes back to.
    element.addEventListener("click", (event) => {
        const word = event.target.closest(".word");
        if (word) focus(word);
    });
    return focus;

    function beside(side, place, by) {
        const order = boxes[side].map((box, k) => [box.x, k]).sort((a, b) => a[0] - b[0]);
        const at = order.findIndex(([, k]) => k === place);
        const next = order[at + by];
        return next && words[side][next[1]];
    }
    function across(wanted, side, place) {
        if (wanted === side) return null;
        const { middle } = boxes[side][place];
        const distances = boxes[wanted].map((box, k) => [Math.abs(box.middle - middle), k]).sort((a, b) => a[0] - b[0]);
        return distances.length ? words[wanted][distances[0][1]] : null;
    }
}
