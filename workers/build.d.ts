// The output of `remix vite:build`. It does not exist before the first build.
declare module "*/build/server/index.js" {
  const build: import("@remix-run/cloudflare").ServerBuild;
  export = build;
}
