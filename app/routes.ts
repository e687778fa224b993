import { index, type RouteConfig, route } from "@remix-run/route-config";

export default [
  index("routes/home.tsx"),
  route("auth", "routes/auth.tsx"),
  route("auth/login", "routes/auth.login.tsx"),
  route("auth/signup", "routes/auth.signup.tsx"),
  route("logout", "routes/logout.ts"),
  route("dashboard", "routes/dashboard.tsx"),
  route("support/session", "routes/support.session.ts"),
  route("support/sessions/:id/messages", "routes/support.messages.ts"),
  route("admin", "routes/admin.tsx", [route("support/:id", "routes/admin.conversation.tsx")]),
  route("*", "routes/$.tsx"),
] satisfies RouteConfig;
