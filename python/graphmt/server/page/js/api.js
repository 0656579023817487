// Requests to the server that this page comes from. Every failure is a Problem: one sentence, and mostly a hint.

/** Why a request failed. `status` is 0 where the server did not answer. */
export class Problem extends Error {
    constructor(message, hint = "", status = 0) {
        super(message);
        this.hint = hint;
        this.status = status;
    }
}

let key = "";

/** Send this API key from now on. It is kept only as long as the page is open. */
export function setKey(given) {
    key = given;
}

export const getModels = (signal) => request("v1/models", undefined, signal);
export const translate = (body, signal) => request("v1/translate", body, signal);
export const explain = (body, signal) => request("v1/explain", body, signal);

async function request(address, body, signal) {
    const headers = { Accept: "application/json" };
    if (key) headers.Authorization = `Bearer ${key}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    let response;
    try {
        const method = body === undefined ? "GET" : "POST";
        response = await fetch(address, { method, headers, signal, body: body && JSON.stringify(body) });
    } catch (error) {
        if (error.name === "AbortError") throw error;
        throw new Problem("The server does not answer.", "Is it still running?");
    }
    const answer = await content(response);
    if (response.ok) return answer;
    const wait = Number(response.headers.get("Retry-After"));
    const hint = answer?.hint || (wait ? `Try again in ${wait} ${wait === 1 ? "second" : "seconds"}.` : "");
    throw new Problem(
        sentence(answer?.error || `the server answered with status ${response.status}.`),
        hint,
        response.status,
    );
}

async function content(response) {
    try {
        return await response.json();
    } catch (error) {
        if (error.name === "AbortError") throw error;
        if (response.ok) throw new Problem("The answer of the server is not JSON.", "", response.status);
        return null;
    }
}

function sentence(text) {
    return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Runs one request at a time: a new one aborts the one before, whose result is dropped. */
export class Latest {
    #controller = null;

    abort() {
        this.#controller?.abort();
        this.#controller = null;
    }

    /** Call `work` with a signal; undefined if another call or `abort` came in between. */
    async run(work) {
        this.abort();
        const controller = new AbortController();
        this.#controller = controller;
        try {
            const found = await work(controller.signal);
            return controller.signal.aborted ? undefined : found;
        } catch (error) {
            if (error.name === "AbortError" || controller.signal.aborted) return undefined;
            throw error;
        }
    }
}
