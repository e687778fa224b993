// Set by vite.config.ts at build time.
interface ImportMeta {
  readonly env: {
    readonly MODE: string;
    /** Set in the server build. */
    readonly SSR: boolean;
    readonly BUILD: { readonly at: string; readonly commit: string };
    /** Taken from the build's environment. "1" shows the introduction at every start. */
    readonly VITE_FORCE_ONBOARDING?: string;
  };
}
