// Through the form: a function component of React 18 does not pass a ref on.
export function focusField(form: HTMLFormElement | null): void {
  form?.querySelector<HTMLElement>("input, textarea")?.focus();
}
