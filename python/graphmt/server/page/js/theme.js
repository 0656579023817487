// Light or dark: as the system says, or as chosen here.

import { preferences } from "./state.js";

/** Connect the select element that chooses the theme. */
export function connectTheme(select) {
    const apply = (theme) => {
        if (theme === "system") delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = theme;
    };
    const stored = preferences.get("theme", "system");
    select.value = ["light", "dark"].includes(stored) ? stored : "system";
    apply(select.value);
    select.addEventListener("change", () => {
        apply(select.value);
        preferences.set("theme", select.value);
    });
}
