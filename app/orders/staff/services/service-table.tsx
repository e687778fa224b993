import { Form, Link } from "@remix-run/react";
import { useRef, useState } from "react";
import { useFormats } from "#app/components/formats/formats-provider.tsx";
import { Rate } from "#app/components/formats/money-amount.tsx";
import { useIsSubmitting } from "#app/components/forms/use-is-submitting.ts";
import { useFieldsAtHydration } from "#app/components/hydration/use-fields-at-hydration.ts";
import { Badge } from "#app/components/ui/badge.tsx";
import { Button } from "#app/components/ui/button.tsx";
import { Notice } from "#app/components/ui/notice.tsx";
import { Table, Td, Th } from "#app/components/ui/table.tsx";
import type { listStaffServices } from "./service-admin.server.ts";

type Row = Awaited<ReturnType<typeof listStaffServices>>[number];

/** Services that can be selected and put on or off sale together. */
export function ServiceTable({ rows, error }: { rows: Row[]; error: string | undefined }) {
  const { number } = useFormats();
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set());
  const form = useRef<HTMLFormElement>(null);
  useFieldsAtHydration(form, (fields) => setSelected(new Set(fields.getAll("id").map(Number))));
  const isEnabling = useIsSubmitting("enable");
  const isDisabling = useIsSubmitting("disable");

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
            className="size-4 shrink-0 accent-accent"
            checked={selected.size === rows.length}
            onChange={(event) => setSelected(new Set(event.target.checked ? rows.map(({ id }) => id) : []))}
          />
          Select this page
        </label>
        <div className="flex gap-2">
          <Button type="submit" name="intent" value="enable" variant="secondary" busy={isEnabling}>
            Put on sale
          </Button>
          <Button type="submit" name="intent" value="disable" variant="secondary" busy={isDisabling}>
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
            <Th numeric>ID</Th>
            <Th>Name</Th>
            <Th>Status</Th>
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
              <Rate micro={service.rate} />
            </Td>
            <Td numeric className="text-muted">
              {service.providerRate === null ? "—" : <Rate micro={service.providerRate} />}
            </Td>
            <Td numeric className="text-muted">
              {number(service.min)} – {number(service.max)}
            </Td>
            <Td className="whitespace-nowrap">{service.provider ?? <span className="text-muted">Manual</span>}</Td>
          </tr>
        ))}
      </Table>
    </Form>
  );
}
