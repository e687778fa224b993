import {
  type ActionFunctionArgs,
  data,
  type LoaderFunctionArgs,
  type MetaFunction,
  redirect,
} from "@remix-run/cloudflare";
import { Form, Link, useActionData, useLoaderData, useNavigation, useSearchParams } from "@remix-run/react";
import PackageSearch from "lucide-react/icons/package-search";
import { useRef, useState } from "react";
import { actorOf, requireRole } from "#app/accounts/session/viewer.server.ts";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Money } from "#app/components/formats/money-amount.tsx";
import { Field, Input } from "#app/components/forms/field.tsx";
import { Select } from "#app/components/forms/select.tsx";
import { useFieldsAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import { MoreLink, pageOf } from "#app/components/navigation/more-link.tsx";
import { flashCookie } from "#app/components/toast/flash-cookie.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button, ButtonLink } from "#app/components/ui/button.tsx";
import { EmptyState } from "#app/components/ui/empty-state.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import { parseId } from "#app/http/requests/id-param.ts";
import { readForm } from "#app/http/requests/read-form.ts";
import {
  enableServices,
  listServiceChoices,
  listStaffServices,
  SERVICE_STATES,
} from "#app/orders/staff/services/service-admin.server.ts";
import { PRODUCT_NAME } from "#app/product.ts";

const A_PAGE = 100;

export const meta: MetaFunction = () => [{ title: `Services · ${PRODUCT_NAME}` }];

export async function loader({ request, context }: LoaderFunctionArgs) {
  await requireRole(request, context, "admin");
  const { searchParams } = new URL(request.url);
  const filter = {
    search: searchParams.get("q")?.trim() ?? "",
    state: SERVICE_STATES.find((known) => known === searchParams.get("state")) ?? "all",
    providerId: parseId(searchParams.get("provider")),
    network: searchParams.get("network") || null,
    after: parseId(searchParams.get("after")),
  };
  const [rows, choices] = await Promise.all([
    listStaffServices(context.db, filter, A_PAGE),
    listServiceChoices(context.db),
  ]);
  const { networks, providers } = choices;
  return { ...pageOf(rows, A_PAGE, ({ id }) => id), filter, networks, providers, states: SERVICE_STATES };
}

export async function action({ request, context }: ActionFunctionArgs) {
  const viewer = await requireRole(request, context, "admin");
  const form = await readForm(request);
  const intent = form.get("intent");
  if (intent !== "enable" && intent !== "disable") throw new Response(null, { status: 400 });
  const ids = form.getAll("id").map(Number).filter(Number.isSafeInteger).slice(0, A_PAGE);
  if (ids.length === 0) return data({ error: "Select services first." }, { status: 400 });
  const actor = actorOf(viewer);
  const changed = await enableServices(context.db, actor, ids, intent === "enable");
  const said = `${changed} ${changed === 1 ? "service is" : "services are"} ${intent === "enable" ? "on" : "off"} sale.`;
  const { pathname, search } = new URL(request.url);
  return redirect(pathname + search, { headers: { "Set-Cookie": flashCookie(said) } });
}

export default function StaffServices() {
  const { rows, next, filter, networks, providers, states } = useLoaderData<typeof loader>();
  const answer = useActionData<typeof action>() ?? null;
  const [params] = useSearchParams();
  return (
    <>
      <div className="flex flex-wrap items-center justify-between gap-4">
        <h1 className="text-2xl">Services</h1>
        <ButtonLink to="/admin/services/new">New service</ButtonLink>
      </div>
      <Form
        method="get"
        role="search"
        key={params.toString()}
        className="mt-6 grid grid-cols-2 items-end gap-3 sm:grid-cols-[2fr_1fr_1fr_1fr_auto]"
      >
        <Field id="service-search" label="Find" className="max-sm:col-span-2">
          {(control) => <Input {...control} name="q" defaultValue={filter.search} placeholder="Id, name or category" />}
        </Field>
        <Field id="service-state" label="State">
          {(control) => (
            <Select {...control} name="state" defaultValue={filter.state}>
              {states.map((state) => (
                <option key={state} value={state}>
                  {state === "all" ? "All" : state === "enabled" ? "On sale" : "Off sale"}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Field id="service-network" label="Network">
          {(control) => (
            <Select {...control} name="network" defaultValue={filter.network ?? ""}>
              <option value="">All</option>
              {networks.map((network) => (
                <option key={network}>{network}</option>
              ))}
            </Select>
          )}
        </Field>
        <Field id="service-provider" label="Provider">
          {(control) => (
            <Select {...control} name="provider" defaultValue={filter.providerId ?? ""}>
              <option value="">All</option>
              {providers.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <Button type="submit" variant="secondary" className="max-sm:mt-auto sm:h-10">
          Find
        </Button>
      </Form>
      <section aria-label="Services" className="mt-4 overflow-clip rounded-md border border-line bg-raised">
        {rows.length === 0 ? (
          <EmptyState icon={PackageSearch} title="No services here">
            Change the filter, make a service, or import a provider’s catalog.
          </EmptyState>
        ) : (
          // Another page is another selection.
          <ServiceList key={params.toString()} rows={rows} error={answer?.error} />
        )}
        <MoreLink name="after" next={next} />
      </section>
    </>
  );
}

type Row = ReturnType<typeof useLoaderData<typeof loader>>["rows"][number];

function ServiceList({ rows, error }: { rows: Row[]; error: string | undefined }) {
  const { money, number } = useFormats();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const form = useRef<HTMLFormElement>(null);
  useFieldsAtHydration(form, (fields) => setSelected(new Set(fields.getAll("id").map(Number))));
  const { formData, state } = useNavigation();
  const busy = (intent: string) => state !== "idle" && formData?.get("intent") === intent;

  function toggle(id: number, on: boolean) {
    const next = new Set(selected);
    if (on) next.add(id);
    else next.delete(id);
    setSelected(next);
  }

  return (
    <Form ref={form} method="post" preventScrollReset>
      <div className="flex min-h-14 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <label className="mr-2 flex min-h-11 items-center gap-2.5 text-sm sm:min-h-0 noscript:hidden">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            checked={selected.size === rows.length}
            onChange={(event) => setSelected(new Set(event.target.checked ? rows.map(({ id }) => id) : []))}
          />
          Select this page
        </label>
        <div className="flex gap-2">
          <Button type="submit" name="intent" value="enable" variant="secondary" busy={busy("enable")}>
            Put on sale
          </Button>
          <Button type="submit" name="intent" value="disable" variant="secondary" busy={busy("disable")}>
            Take off sale
          </Button>
        </div>
        <span role="status" className="tabular text-sm text-muted">
          {selected.size > 0 && `${selected.size} selected`}
        </span>
        {error && <Notice tone="bad">{error}</Notice>}
      </div>
      <Table
        label="Services"
        head={
          <>
            <Th>
              <span className="sr-only">Select</span>
            </Th>
            <Th numeric>Id</Th>
            <Th>Name</Th>
            <Th>State</Th>
            <Th numeric>Rate</Th>
            <Th numeric>Cost</Th>
            <Th numeric>Limits</Th>
            <Th>Provider</Th>
          </>
        }
      >
        {rows.map((service) => (
          <tr key={service.id}>
            <Td>
              <input
                type="checkbox"
                name="id"
                value={service.id}
                aria-label={`Select service ${service.id}`}
                className="size-4 align-middle accent-accent"
                checked={selected.has(service.id)}
                onChange={(event) => toggle(service.id, event.target.checked)}
              />
            </Td>
            <Td numeric className="font-mono">
              {service.id}
            </Td>
            <Td>
              <Link
                to={`/admin/services/${service.id}`}
                title={service.name}
                className="block max-w-72 truncate leading-11 underline underline-offset-4 sm:leading-10"
              >
                {service.name}
              </Link>
            </Td>
            <Td>
              <Badge tone={service.enabled ? "good" : "neutral"}>{service.enabled ? "On sale" : "Off sale"}</Badge>
            </Td>
            <Td numeric>
              <Money text={money(service.rate)} />
            </Td>
            <Td numeric className="text-muted">
              {service.providerRate === null ? "—" : money(service.providerRate)}
            </Td>
            <Td numeric className="text-muted">
              {number(service.min)} – {number(service.max)}
            </Td>
            <Td className="whitespace-nowrap">{service.provider ?? <span className="text-muted">by hand</span>}</Td>
          </tr>
        ))}
      </Table>
    </Form>
  );
}
