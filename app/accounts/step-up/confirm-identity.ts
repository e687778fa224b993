import type { ProofMethods, ProofStatus } from "./proof-result.ts";

/** A question that is open. `settle` gets whether the person proved who they are. */
export type Question = { methods: ProofMethods; settle: (isProven: boolean) => void };

let show: ((question: Question) => void) | null = null;

/** Sends questions to `to`, the dialog. Returns a function that stops it. */
export function receiveQuestions(to: (question: Question) => void): () => void {
  show = to;
  return () => {
    show = null;
  };
}

/**
 * Asks the person to prove who they are, unless they did lately. Returns false if they closed the dialog. Returns true if
 * nobody could be asked: then the server redirects to its page.
 */
export async function confirmIdentity(): Promise<boolean> {
  const status = await readStatus();
  if (!status || status.isRecent || !show) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  show({ methods: status.methods, settle: resolve });
  return promise;
}

async function readStatus(): Promise<ProofStatus | null> {
  try {
    const response = await fetch("/auth/proof");
    return response.ok ? await response.json() : null;
  } catch {
    return null;
  }
}

/** Holds back forms and links with `data-asks-identity` until the person has proved who they are, then repeats them. */
export function holdUntilConfirmed(): () => void {
  const holder = new Holder();
  // On the window, in the capture phase: before React, which listens on the document.
  window.addEventListener("submit", holder.onSubmit, true);
  window.addEventListener("click", holder.onClick, true);
  return () => {
    window.removeEventListener("submit", holder.onSubmit, true);
    window.removeEventListener("click", holder.onClick, true);
  };
}

class Holder {
  readonly #held = new WeakSet<Element>();
  #repeated: HTMLFormElement | null = null;

  readonly onSubmit = (event: SubmitEvent) => {
    const form = event.target;
    if (!(form instanceof HTMLFormElement) || !("asksIdentity" in form.dataset) || form === this.#repeated) return;
    this.#hold(event, form, () => {
      this.#repeated = form;
      form.requestSubmit(event.submitter);
      this.#repeated = null;
    });
  };

  readonly onClick = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    const isPlain = event.button === 0 && !(event.metaKey || event.ctrlKey || event.shiftKey || event.altKey);
    if (link && "asksIdentity" in link.dataset && isPlain) this.#hold(event, link, () => location.assign(link.href));
  };

  async #hold(event: Event, element: HTMLElement, repeat: () => void): Promise<void> {
    event.preventDefault();
    event.stopImmediatePropagation();
    if (this.#held.has(element)) return;
    this.#held.add(element);
    const isProven = await confirmIdentity();
    this.#held.delete(element);
    if (isProven && element.isConnected) repeat();
  }
}
