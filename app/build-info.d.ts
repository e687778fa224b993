// Filled in by vite.config.ts when it builds.
interface ImportMeta {
  readonly env: {
    readonly MODE: string;
    /** Whether this is the server's build. */
    readonly SSR: boolean;
    readonly BUILD: { readonly at: string; readonly commit: string };
    /** Set in the environment of a build: "1" shows the introduction at every start. */
    readonly VITE_FORCE_ONBOARDING?: string;
  };
}
