import { index, type RouteConfig, route } from "@remix-run/route-config";

export default [
  index("routes/home.tsx"),
  route("auth/v1/token", "routes/auth.v1.token.ts"),
  route("auth/v1/signup", "routes/auth.v1.signup.ts"),
  route("auth/v1/user", "routes/auth.v1.user.ts"),
  route("auth/v1/logout", "routes/auth.v1.logout.ts"),
  route("auth/v1/recover", "routes/auth.v1.recover.ts"),
] satisfies RouteConfig;
