import { type ActionFunctionArgs, data, type LoaderFunctionArgs, type MetaFunction } from "@remix-run/cloudflare";
import { Link, useLoaderData } from "@remix-run/react";
import Download from "lucide-react/icons/download";
import Receipt from "lucide-react/icons/receipt";
import { requireViewer } from "#app/accounts/session/viewer.server.ts";
import { Money } from "#app/components/formats/money-amount.tsx";
import type { FormResult } from "#app/components/forms/form-result.ts";
import { useActionResult } from "#app/components/forms/use-action-result.ts";
import { Pager } from "#app/components/navigation/pager.tsx";
import { ButtonLink } from "#app/components/ui/button.tsx";
import { Card } from "#app/components/ui/card.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { parseId } from "#app/http/requests/id-param.ts";
import { oneOf, withParams } from "#app/http/requests/query-params.ts";
import { formText, readForm } from "#app/http/requests/read-form.ts";
import { formatMoney, parseDecimal } from "#app/orders/rules/money-text.ts";
import { LedgerTable } from "#app/orders/wallet/ledger-table.tsx";
import { LowBalanceForm } from "#app/orders/wallet/low-balance-form.tsx";
import { readSpending } from "#app/orders/wallet/spending.server.ts";
import { SpendingPanel } from "#app/orders/wallet/spending-panel.tsx";
import { LEDGER_FILTERS, type LedgerFilter, listTransactions } from "#app/orders/wallet/transactions.server.ts";
import { readWallet } from "#app/orders/wallet/wallet.server.ts";
import { setLowBalanceThreshold } from "#app/orders/webhooks/webhook-endpoints.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const PATH = "/dashboard/transactions";
const ENTRIES_PER_PAGE = 50;
const DAYS_SHOWN = 30;

export const meta: MetaFunction = () => [{ title: `Transactions · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  const { userId } = await requireViewer(request, context);
  const { searchParams } = new URL(request.url);
  const filter = oneOf(LEDGER_FILTERS, searchParams.get("kind"));
  const before = parseId(searchParams.get("before"));
  const [{ rows, next }, wallet, spending] = await Promise.all([
    listTransactions(context.db, userId, { filter, before }, ENTRIES_PER_PAGE),
    readWallet(context.db, userId),
    before === null ? readSpending(context.db, userId, DAYS_SHOWN, Date.now()) : null,
  ]);
  return { rows, next, spending, filter, before, filters: LEDGER_FILTERS, ...wallet };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const form = await readForm(request);
  const { userId } = await requireViewer(request, context);
  if (form.get("intent") !== "low-balance") throw data(null, 400);
  const typed = formText(form, "below");
  const below = typed === "" ? null : parseDecimal(typed.replace(/^\$/, ""));
  if (typed !== "" && (below === null || below === 0)) {
    const fieldErrors = { below: "Enter an amount like 10 or 10.50" };
    return data<FormResult>({ intent: "low-balance", ok: false, fieldErrors, values: { below: typed } }, 400);
  }
  await setLowBalanceThreshold(context.db, userId, below);
  const message = below === null ? "Low-balance notice turned off." : `We'll notify you below ${formatMoney(below)}.`;
  return data<FormResult>({ intent: "low-balance", ok: true, message });
}

const NAMES: Record<LedgerFilter, string> = {
  all: "All",
  refunds: "Refunds",
  topups: "Top-ups and adjustments",
};

export default function Transactions() {
  const { rows, next, spending, filter, before, filters, balance, lowBalanceThreshold } =
    useLoaderData<typeof loader>();
  const submitted = useActionResult<typeof action>() ?? null;
  const kind = filter === "all" ? null : filter;
  return (
    <>
      <div className="flex flex-wrap items-end justify-between gap-3">
        <div>
          <h1 className="text-2xl">Transactions</h1>
          {spending === null && (
            <p className="mt-1 text-sm text-muted">
              Your balance is{" "}
              <span className="tabular font-medium text-text">
                <Money micro={balance} />
              </span>
              .
            </p>
          )}
        </div>
        <ButtonLink to={`${PATH}.csv`} variant="secondary" reloadDocument data-asks-identity className="print:hidden">
          <Download aria-hidden className="size-4" />
          Export CSV
        </ButtonLink>
      </div>
      {spending && <SpendingPanel balance={balance} spending={spending} />}
      <section aria-label="Transactions" className="mt-6 min-w-0 overflow-clip rounded-md border border-line bg-raised">
        <nav aria-label="Transactions by kind" className="flex overflow-x-auto border-b border-line px-2 py-2 sm:px-3">
          {filters.map((value) => (
            <Link
              key={value}
              to={withParams(PATH, { kind: value === "all" ? null : value })}
              aria-current={value === filter ? "page" : undefined}
              className="flex h-11 items-center rounded-md px-2.5 text-sm whitespace-nowrap text-muted hover:text-text focus-visible:-outline-offset-2 aria-[current=page]:bg-sunken aria-[current=page]:text-text sm:h-9"
            >
              {NAMES[value]}
            </Link>
          ))}
        </nav>
        {rows.length > 0 ? (
          <LedgerTable entries={rows} />
        ) : (
          <EmptyState icon={Receipt} title={filter === "all" ? "No transactions yet" : "None of this kind yet"}>
            Charges, refunds and top-ups appear here with the balance after each.
          </EmptyState>
        )}
        <Pager
          newest={before === null ? null : withParams(PATH, { kind })}
          older={next === null ? null : withParams(PATH, { kind, before: next })}
        />
      </section>
      <div className="mt-8 max-w-xl scroll-mt-6" id="low-balance">
        <Card title="Low-balance notice" titleId="low-balance-title">
          <LowBalanceForm below={lowBalanceThreshold} submitted={submitted} />
        </Card>
      </div>
    </>
  );
}
