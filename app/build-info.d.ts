// Filled in by vite.config.ts when it builds.
interface ImportMeta {
  readonly env: { readonly MODE: string; readonly BUILD: { readonly at: string; readonly commit: string } };
}
