// The state that all parts of the page share, and those who want to know when it changes.

/** A store: `get`, `set` with some fields, and `subscribe`, whose listener gets the state and the changed fields. */
export function createStore(initial) {
    let state = { ...initial };
    const listeners = new Set();
    return {
        get: () => state,
        set(fields) {
            const changed = Object.keys(fields).filter((name) => fields[name] !== state[name]);
            if (!changed.length) return;
            state = { ...state, ...fields };
            for (const listener of [...listeners]) listener(state, new Set(changed));
        },
        subscribe(listener) {
            listeners.add(listener);
            return () => listeners.delete(listener);
        },
    };
}

/** Settings that outlast a visit. Storage may be forbidden; then they do not. */
export const preferences = {
    get(name, fallback) {
        try {
            return localStorage.getItem(`graphmt.${name}`) ?? fallback;
        } catch {
            return fallback;
        }
    },
    set(name, value) {
        try {
            localStorage.setItem(`graphmt.${name}`, value);
        } catch {
            // Nothing is lost but the setting.
        }
    },
};
