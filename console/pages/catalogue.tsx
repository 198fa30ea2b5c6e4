/** The public catalogue: what official tools do, what they cost, and how they fare by measurement. */
import { useSignal } from '@preact/signals'
import { ask } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { Field } from '../parts/form.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { More, Table } from '../parts/table.tsx'
import { Code, formatCount, formatCredits, Text, toShown } from '../parts/text.tsx'
import { setQuery } from '../shell/route.ts'
import type { PageProps, Views } from './page.ts'

type Tool = {
  readonly name: string
  readonly title?: string
  readonly description: string
  readonly price: number
  readonly refund: string
  readonly latency: { readonly p50Ms: number; readonly p95Ms: number } | null
  readonly failureShare: number | null
}
type Answer = {
  readonly tools: readonly Tool[]
  readonly nextCursor?: string
}

function Catalogue({ query }: PageProps) {
  const more = useSignal<readonly Tool[]>([])
  const cursor = useSignal<string | undefined>(undefined)
  const first = useLoad(async (signal) => {
    const answer = await ask<Answer>('catalog', { signal })
    more.value = []
    cursor.value = answer.nextCursor
    return answer
  })
  const onMore = async () => {
    const answer = await ask<Answer>('catalog', { query: { cursor: cursor.peek() } })
    more.value = [...more.peek(), ...answer.tools]
    cursor.value = answer.nextCursor
  }
  const { search = '' } = query
  return (
    <>
      <div class="filters">
        <Field
          label="Search"
          type="search"
          value={search}
          onInput={(text) => setQuery({ search: text })}
        />
      </div>
      <Loaded of={first}>
        {({ tools }) => (
          <>
            <Tools tools={[...tools, ...more.value]} search={search} />
            <More cursor={cursor.value} onMore={onMore} />
            <p>
              <small>
                Prices are in credits a call. Times and failures are those of the last day: half of
                the successful calls took the typical time at most, and 95 % the slow one. Failures
                are calls that the service behind the tool failed or that took too long.
              </small>
            </p>
          </>
        )}
      </Loaded>
    </>
  )
}

function Tools({ tools, search }: { tools: readonly Tool[]; search: string }) {
  const words = search.toLowerCase().split(/\s+/)
  const found = tools.filter(({ description, name, title = '' }) => {
    const text = `${name} ${title} ${description}`.toLowerCase()
    return words.every((word) => text.includes(word))
  })
  if (found.length === 0) {
    return (
      <Empty title="No tool is here.">
        <p>
          {tools.length > 0
            ? 'Every word of the search must be in a name or a description. Try fewer.'
            : 'The operator publishes official tools here that everybody may call.'}
        </p>
      </Empty>
    )
  }
  return (
    <Table
      caption={`Tools: ${formatCount(found.length)}`}
      rows={found}
      toKey={({ name }) => name}
      columns={[
        {
          head: 'Tool',
          cell: ({ description, name, title = name }) => (
            <>
              <strong>{toShown(title)}</strong> <Code of={name} />
              <br />
              <Text of={description} />
            </>
          ),
        },
        { head: 'Price', cell: ({ price }) => formatPrice(price), right: true },
        { head: 'Refund', cell: ({ refund }) => <Text of={refund} /> },
        {
          head: 'Typical time',
          cell: ({ latency }) => (latency === null ? TOO_FEW : formatMs(latency.p50Ms)),
          right: true,
        },
        {
          head: 'Slow time',
          cell: ({ latency }) => (latency === null ? TOO_FEW : formatMs(latency.p95Ms)),
          right: true,
        },
        { head: 'Failures', cell: ({ failureShare }) => formatShare(failureShare), right: true },
      ]}
    />
  )
}

export function formatPrice(price: number): string {
  return price === 0 ? 'free' : formatCredits(price)
}

const TOO_FEW = 'too few calls'

/** Shows milliseconds, from a second on as seconds. */
export function formatMs(ms: number | undefined): string {
  if (ms === undefined) return ''
  return ms < 1_000 ? `${ms} ms` : `${formatCredits(Math.round(ms / 100) / 10)} s`
}

function formatShare(share: number | null): string {
  return share === null ? TOO_FEW : `${(100 * share).toFixed(1)} %`
}

export const VIEWS: Views = {
  catalogue: {
    command: () => ['curl', String(new URL('../catalog', location.href.replace(/#.*/, '')))],
    render: (page) => <Catalogue {...page} />,
  },
}
