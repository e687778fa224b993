import { index, type RouteConfig, route } from "@remix-run/route-config";

export default [
  index("routes/home.tsx"),
  route("support/session", "routes/support.session.ts"),
  route("support/sessions/:id/messages", "routes/support.messages.ts"),
] satisfies RouteConfig;
