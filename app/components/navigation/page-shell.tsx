import { Form, Link, NavLink, useLocation, useNavigation } from "@remix-run/react";
import LogOut from "lucide-react/icons/log-out";
import User from "lucide-react/icons/user";
import type { ReactNode } from "react";
import { ThemeToggle } from "#app/components/page/theme-toggle.tsx";
import { Button, ButtonLink } from "#app/components/ui/button.tsx";
import { Mark } from "#app/components/ui/mark.tsx";
import { PRODUCT_NAME } from "#app/product.ts";
import { publicPages } from "#app/public-pages.ts";
import { isDashboardPage } from "./dashboard-pages.ts";

type ShellViewer = { email: string; fullName: string; role: "customer" | "agent" | "admin" };

/** The frame around every page. Each page renders its own <main id="main" tabIndex={-1}>. */
const CONSOLE = /^\/admin(\/|$)/;
const AUTH = /^\/auth(\/|$)/;

export function Shell({
  viewer,
  notice = "",
  bare = false,
  children,
}: {
  viewer: ShellViewer | null;
  /** HTML of our server that stands between the header and the page. */
  notice?: string | undefined;
  /** Leaves out header and footer, so that the page fills the window. */
  bare?: boolean;
  children: ReactNode;
}) {
  // The console has no footer: staff don't need the shop's links, and the inbox fills the window.
  const isConsole = CONSOLE.test(useLocation().pathname);
  // One tree for both layouts: React would remount the whole app if the children moved.
  return (
    <div className={`flex min-h-dvh flex-col ${bare ? "" : "safe-x"}`}>
      {!bare && <Header viewer={viewer} />}
      {/* biome-ignore lint/security/noDangerouslySetInnerHtml: our server wrote and escaped it */}
      {!isConsole && notice && <div dangerouslySetInnerHTML={{ __html: notice }} />}
      {children}
      {!bare && !isConsole && <Footer />}
    </div>
  );
}

function Header({ viewer }: { viewer: ShellViewer | null }) {
  const isStaff = viewer !== null && viewer.role !== "customer";
  return (
    <>
      <a
        href="#main"
        className="sr-only rounded-md bg-accent text-sm font-medium text-on-accent focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:px-4 focus:py-3.5"
      >
        Skip to content
      </a>
      <header className="safe-top relative border-b border-line print:hidden">
        <div className="mx-auto flex h-14 max-w-frame items-center gap-1 px-4 sm:px-6">
          <Link to="/" className="-ml-1 flex h-11 items-center gap-2 rounded-md px-1 font-semibold tracking-tight">
            <Mark />
            {/* A phone has no room for it beside the console's link, and a small one beside a customer's links. */}
            <span className={isStaff ? "sr-only sm:not-sr-only" : viewer ? "sr-only min-[360px]:not-sr-only" : ""}>
              {PRODUCT_NAME}
            </span>
          </Link>
          <nav aria-label="Main" className="ml-auto flex items-center gap-1 sm:ml-6">
            {viewer ? <ViewerLinks viewer={viewer} /> : <VisitorLinks />}
          </nav>
          <div className="flex items-center gap-1 sm:ml-auto sm:gap-2">
            <ThemeToggle />
            {viewer ? <Account viewer={viewer} /> : <SignIn />}
          </div>
        </div>
        <LoadingLine />
      </header>
    </>
  );
}

function LoadingLine() {
  if (useNavigation().state === "idle") return null;
  return <span aria-hidden className="absolute inset-x-0 -bottom-px h-0.5 origin-left animate-advance bg-accent" />;
}

const NAV_LINK =
  "inline-flex h-11 items-center rounded-md px-3 text-sm text-muted transition-colors hover:text-text aria-[current]:text-text max-[359px]:px-1 sm:h-9";

function VisitorLinks() {
  return (
    <div className="hidden items-center gap-1 sm:flex">
      <Link to="/services" className={NAV_LINK}>
        Prices
      </Link>
      <Link to="/#how" className={NAV_LINK}>
        How it works
      </Link>
      <Link to="/#api" className={NAV_LINK}>
        API
      </Link>
      <Link to="/#questions" className={NAV_LINK}>
        Questions
      </Link>
    </div>
  );
}

function ViewerLinks({ viewer }: { viewer: ShellViewer }) {
  const { pathname } = useLocation();
  return (
    <>
      <Link
        to="/dashboard"
        aria-current={pathname === "/dashboard" ? "page" : isDashboardPage(pathname) ? "true" : undefined}
        className={NAV_LINK}
      >
        Dashboard
      </Link>
      {viewer.role !== "customer" && (
        <Link
          to={viewer.role === "admin" ? "/admin/today" : "/admin"}
          aria-current={CONSOLE.test(pathname) ? (pathname === "/admin/today" ? "page" : "true") : undefined}
          className={NAV_LINK}
        >
          Console
        </Link>
      )}
    </>
  );
}

function SignIn() {
  const inAuth = AUTH.test(useLocation().pathname);
  if (inAuth) return null;
  return (
    <>
      <ButtonLink to="/auth/login" variant="quiet" className="max-[359px]:px-2">
        Log in
      </ButtonLink>
      <ButtonLink to="/auth/signup" variant="secondary" className="max-[359px]:px-2.5">
        Sign up
      </ButtonLink>
    </>
  );
}

function Account({ viewer }: { viewer: ShellViewer }) {
  return (
    <>
      <NavLink to="/dashboard/account" title={viewer.email} className={`${NAV_LINK} gap-2`}>
        <User aria-hidden className="size-4 md:hidden" />
        <span className="max-w-56 truncate max-md:sr-only">{viewer.fullName || viewer.email}</span>
      </NavLink>
      <Form method="post" action="/logout">
        <Button type="submit" variant="quiet" aria-label="Log out">
          <LogOut aria-hidden className="size-4 sm:hidden" />
          <span className="hidden sm:inline">Log out</span>
        </Button>
      </Form>
    </>
  );
}

const FOOTER_LINKS: [to: string, label: string][] = [
  ["/#how", "How it works"],
  ["/#questions", "Questions"],
  ...publicPages.flatMap(({ path, footerLabel }): [string, string][] => (footerLabel ? [[path, footerLabel]] : [])),
];

function Footer() {
  return (
    <footer className="safe-bottom mt-auto border-t border-line print:hidden">
      <div className="mx-auto flex max-w-frame flex-wrap items-center gap-x-6 gap-y-2 py-6 pr-24 pl-4 text-sm text-muted sm:px-6">
        <span className="flex items-center gap-2">
          <Mark className="size-4" />
          {PRODUCT_NAME}
        </span>
        <nav aria-label="Footer" className="flex flex-wrap gap-x-5">
          {FOOTER_LINKS.map(([to, label]) => (
            <Link key={to} to={to} className="inline-flex h-11 items-center hover:text-text sm:h-8">
              {label}
            </Link>
          ))}
        </nav>
      </div>
    </footer>
  );
}
