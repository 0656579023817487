// Tabs: a click or the arrow keys choose one; the panel of the chosen one is shown.

/** Connect a tab list; `chosen` is called with the id of the tab. Returns a function that chooses one. */
export function connectTabs(list, chosen) {
    const tabs = [...list.querySelectorAll('[role="tab"]')];
    const choose = (tab, focus = false) => {
        for (const one of tabs) {
            const is = one === tab;
            one.setAttribute("aria-selected", String(is));
            one.tabIndex = is ? 0 : -1;
            document.getElementById(one.getAttribute("aria-controls")).hidden = !is;
        }
        if (focus) tab.focus();
        chosen(tab.id);
    };
    for (const tab of tabs) tab.addEventListener("click", () => choose(tab));
    list.addEventListener("keydown", (event) => {
        const at = tabs.indexOf(document.activeElement);
        const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
        if (at < 0 || to === undefined) return;
        event.preventDefault();
        choose(tabs[(to + tabs.length) % tabs.length], true);
    });
    return (id) => choose(tabs.find((tab) => tab.id === id));
}
