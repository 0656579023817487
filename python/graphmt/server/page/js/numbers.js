// Numbers as people read them.

const MINUS = "\u2212";

/** Two decimals, with a real minus sign. */
export function decimal(value, digits = 2) {
    const text = Math.abs(value).toFixed(digits);
    return value < 0 && Number(text) !== 0 ? `${MINUS}${text}` : text;
}

/** As `decimal`, with a sign for positive numbers too. */
export function signed(value, digits = 2) {
    const text = decimal(value, digits);
    return value > 0 && Number(text) !== 0 ? `+${text}` : text;
}

export function percent(value) {
    return `${Math.round(100 * value)} %`;
}

/** A number with its noun: `plural(2, "word")` is "2 words". */
export function plural(count, noun) {
    return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** How often a rule was seen; fractions come from rules that share an occurrence. */
export function times(count) {
    return `${Number.isInteger(count) ? count.toLocaleString("en") : decimal(count)}×`;
}
