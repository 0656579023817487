// Elements without innerHTML: data never becomes markup, and the Content-Security-Policy allows no inline styles.

const SVG = "http://www.w3.org/2000/svg";

/** An HTML element. Attributes that are null, undefined or false are left out; `on` maps events to listeners. */
export function h(tag, attributes = {}, ...children) {
    return filled(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function s(tag, attributes = {}, ...children) {
    return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
    for (const [name, value] of Object.entries(attributes ?? {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name === "on") {
            for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
        } else {
            element.setAttribute(name, value === true ? "" : String(value));
        }
    }
    element.append(
        ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
    );
    return element;
}

/** Replace the children of an element. */
export function show(element, ...children) {
    element.replaceChildren(
        ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
    );
    return element;
}

let made = 0;

/** An id that no other element has. */
export function newId(prefix) {
    made += 1;
    return `${prefix}-${made}`;
}

/** A labelled checkbox; `change(isChecked)` is called with its state. */
export function switchOf(label, change) {
    const box = h("input", { type: "checkbox", on: { change: () => change(box.checked) } });
    return h("label", { class: "switch" }, box, label);
}
