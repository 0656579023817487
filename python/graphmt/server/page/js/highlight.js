// Lighting up: the rule that is pointed at, its words on both sides, and the links of the source graph inside it.

/** Functions that light up parts of a drawing. */
export function lighter(element, steps) {
    const all = (selector) => element.querySelectorAll(selector);
    const clear = () => {
        element.classList.remove("is-lit");
        for (const one of all(".lit, .near")) one.classList.remove("lit", "near");
    };
    const links = (positions) => {
        const own = new Set(positions);
        for (const link of all("[data-link]")) {
            const ends = link.dataset.link.split("-").map(Number);
            const inside = ends.filter((end) => own.has(end)).length;
            // A link inside the rule, or one that ties it to the rest of the sentence.
            if (inside === 2) link.classList.add("lit");
            else if (inside === 1) link.classList.add("near");
        }
    };
    return {
        /** Light up a step, or nothing. */
        light(number) {
            clear();
            if (number === null || !steps[number]) return;
            element.classList.add("is-lit");
            for (const one of all(`[data-step="${number}"]`)) one.classList.add("lit");
            links(steps[number].positions);
        },
        /** Light up the steps that some source words belong to, as when the other system's drawing is pointed at. */
        lightSource(positions) {
            clear();
            const found = steps.filter((step) => step.positions.some((place) => positions.includes(place)));
            if (!found.length) return;
            element.classList.add("is-lit");
            for (const step of found) for (const one of all(`[data-step="${step.number}"]`)) one.classList.add("lit");
            links(positions);
        },
        /** Mark a span of source words as selected; none with an empty span. */
        select(first, end) {
            for (const one of all(".word.source")) {
                one.classList.toggle("selected", Number(one.dataset.place) >= first && Number(one.dataset.place) < end);
            }
        },
    };
}
