import { index, layout, type RouteConfig, route } from "@remix-run/route-config";

const PANEL_ACTION = "routes/api.panel-action.ts";

export default [
  index("routes/home.tsx"),
  route("auth", "routes/auth.tsx"),
  route("auth/login", "routes/auth.login.tsx"),
  route("auth/signup", "routes/auth.signup.tsx"),
  route("auth/start", "routes/auth.start.tsx"),
  route("reset-password", "routes/reset-password.tsx"),
  route("logout", "routes/logout.ts"),
  layout("routes/dashboard.tsx", [
    route("dashboard", "routes/dashboard.overview.tsx"),
    route("dashboard/orders", "routes/dashboard.orders.tsx"),
    route("dashboard/orders/mass", "routes/dashboard.mass.tsx"),
    route("dashboard/orders/mass/:id", "routes/dashboard.mass-result.tsx"),
    route("dashboard/orders/:id", "routes/dashboard.order.tsx"),
    route("dashboard/transactions", "routes/dashboard.transactions.tsx"),
    route("dashboard/transactions/:id", "routes/dashboard.transaction.tsx"),
    route("dashboard/api", "routes/dashboard.api.tsx"),
    route("upload", "routes/upload.tsx"),
  ]),
  route("dashboard/orders.csv", "routes/dashboard.orders.csv.ts"),
  route("dashboard/orders/live", "routes/dashboard.orders.live.ts"),
  route("dashboard/transactions.csv", "routes/dashboard.transactions.csv.ts"),
  route("dashboard/services/:id", "routes/dashboard.service.ts"),
  route("catalogue.json", "routes/catalogue.json.ts"),
  route("upload/parts", "routes/upload.parts.ts"),
  route("upload/parts/:id", "routes/upload.part.ts"),
  route("upload/files/:id", "routes/upload.file.ts"),
  route("dashboard/account", "routes/dashboard.account.tsx"),
  route("dashboard/account/export", "routes/dashboard.account.export.ts"),
  route("account/email", "routes/account.email.tsx"),
  route("account/delete", "routes/account.delete.tsx"),
  route("privacy-policy", "routes/privacy-policy.tsx"),

  route("debug/env", "routes/debug.env.tsx"),
  route("debug/mail", "routes/debug.mail.tsx"),
  route("debug/reset-onboarding", "routes/debug.reset-onboarding.tsx"),

  route("auth/v1/token", "routes/auth.v1.token.ts"),
  route("auth/v1/signup", "routes/auth.v1.signup.ts"),
  route("auth/v1/user", "routes/auth.v1.user.ts"),
  route("auth/v1/logout", "routes/auth.v1.logout.ts"),
  route("auth/v1/recover", "routes/auth.v1.recover.ts"),

  route("api/v1/create_order", "routes/api.v1.create_order.ts"),
  route("api/v2", "routes/api.v2.ts"),
  ...["order", "services", "balance", "status"].map((name) =>
    route(`api/${name}`, PANEL_ACTION, { id: `api-${name}` }),
  ),
  route("api/openapi.json", "routes/api.openapi.ts"),
  route("api/*", "routes/api.not-found.ts"),

  route("support/session", "routes/support.session.ts"),
  route("support/sessions/:id/messages", "routes/support.messages.ts"),
  route("support/team", "routes/support.team.ts"),
  route("support/sessions/:id/files", "routes/support.files.ts"),
  route("support/sessions/:id/files/:file", "routes/support.file.ts"),
  route("support/sessions/:id/rating", "routes/support.rating.ts"),
  route("support/sessions/:id/transcript", "routes/support.transcript.ts"),
  route("support/sessions/:id/read", "routes/support.read.ts"),
  route("admin/inbox", "routes/admin.inbox.ts"),
  route("admin/support/:id/status", "routes/admin.status.ts"),
  route("admin", "routes/admin.tsx", [route("support/:id", "routes/admin.conversation.tsx")]),

  route("*", "routes/$.tsx"),
] satisfies RouteConfig;
