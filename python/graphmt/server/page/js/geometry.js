// Where the words, arcs and bars of a drawing are. Pure functions, except that text is measured by a canvas.

export const WORD_HEIGHT = 28;
const PADDING = 9;
const GAP = 8;

let context = null;

/** The width of a text in the font of the drawing's words. */
export function textWidth(text, font) {
    context ??= document.createElement("canvas").getContext("2d");
    context.font = font;
    return context.measureText(text).width;
}

/** Words in a row: `boxes` with `x` (the left edge), `width` and `middle`, and the width of the row. */
export function row(words, font, { least = 0, rightToLeft = false } = {}) {
    let x = 0;
    const boxes = words.map((word) => {
        const width = Math.max(least, textWidth(word, font) + 2 * PADDING);
        const box = { x, width };
        x += width + GAP;
        return box;
    });
    const width = Math.max(0, x - GAP);
    for (const box of boxes) {
        if (rightToLeft) box.x = width - box.x - box.width;
        box.middle = box.x + box.width / 2;
    }
    return { boxes, width };
}

/** Move all boxes of a row. */
export function shift(made, by) {
    for (const box of made.boxes) {
        box.x += by;
        box.middle += by;
    }
}

/** The left and right edge of some words of a row. */
export function hull(boxes, places) {
    const found = places.map((place) => boxes[place]).filter(Boolean);
    return [Math.min(...found.map((box) => box.x)), Math.max(...found.map((box) => box.x + box.width))];
}

/** Runs of neighbouring numbers: [1, 2, 5] gives [[1, 2], [5]]. */
export function runs(places) {
    const found = [];
    for (const place of [...places].sort((a, b) => a - b)) {
        const last = found.at(-1);
        if (last && last.at(-1) === place - 1) last.push(place);
        else found.push([place]);
    }
    return found;
}

/**
 * Levels of intervals [first, last], both included: those that overlap have different ones, and shorter ones lie
 * below longer ones. `touch`: whether intervals that share only an end overlap.
 */
export function levels(intervals, touch = true) {
    const order = intervals
        .map((_, number) => number)
        // Of equal ones the later is below: the child of a rule comes after it.
        .sort((a, b) => length(intervals[a]) - length(intervals[b]) || b - a);
    const found = intervals.map(() => -1);
    for (const number of order) {
        const [first, last] = intervals[number];
        const below = order.filter((other) => {
            if (other === number || found[other] < 0) return false;
            const [start, end] = intervals[other];
            return touch ? start <= last && first <= end : start < last && first < end;
        });
        found[number] = Math.max(-1, ...below.map((other) => found[other])) + 1;
    }
    return found;
}

function length([first, last]) {
    return last - first;
}
