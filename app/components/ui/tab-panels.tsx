import { Tabs as Base } from "@base-ui/react/tabs";
import { Link } from "@remix-run/react";
import type { ReactNode } from "react";

export type Tab = { value: string; label: string; to: string; panel: ReactNode };

/** Tabs with their panels. Each tab is a link, so it works before hydration and can be shared. */
export function TabPanels({ label, tabs, selected }: { label: string; tabs: Tab[]; selected: string }) {
  return (
    <Base.Root value={selected}>
      <Base.List aria-label={label} className="flex border-b border-line">
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.value}
            value={tab.value}
            nativeButton={false}
            render={<Link to={tab.to} replace preventScrollReset />}
            className="-mb-px flex h-12 flex-1 items-center justify-center border-b-2 border-transparent text-sm font-medium text-muted transition-colors hover:text-text focus-visible:-outline-offset-2 data-active:border-accent data-active:text-text"
          >
            {tab.label}
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.value} value={tab.value} className="p-5 sm:p-6">
          {tab.panel}
        </Base.Panel>
      ))}
    </Base.Root>
  );
}
