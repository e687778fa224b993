// What `remix vite:build` leaves in build/server; it is not there before the first build.
declare module "*/build/server/index.js" {
  const build: import("@remix-run/cloudflare").ServerBuild;
  export = build;
}
