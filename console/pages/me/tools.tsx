/** The tools that a user may call, and a form that tries one. */

import { useSignal } from '@preact/signals'
import { useMemo } from 'preact/hooks'
import { ApiError, ask } from '../../api/client.ts'
import { useLoad } from '../../api/load.ts'
import { toCommand } from '../../parts/command.ts'
import { Form, useWork } from '../../parts/form.tsx'
import { ListPage } from '../../parts/list-page.tsx'
import { SchemaFields, type Typed } from '../../parts/schema-fields.tsx'
import { readArguments, toFormFields } from '../../parts/schema-form.ts'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Fields } from '../../parts/table.tsx'
import { Block, Code, formatCount, formatCredits, Link, Text, toShown } from '../../parts/text.tsx'
import { toHref } from '../../shell/route.ts'
import { formatMs, formatPrice } from '../catalogue.tsx'
import type { PageProps, Views } from '../page.ts'
import { FREE_FAILURE, type OwnTool, TOOLS_PAGE } from './me.ts'

function Tools({ query }: PageProps) {
  return (
    <ListPage<OwnTool>
      caption="Tools that you may call"
      path="me/tools"
      rows="tools"
      query={query}
      filters={[{ name: 'search', label: 'Search' }]}
      toKey={({ name }) => name}
      columns={[
        {
          head: 'Tool',
          cell: ({ name, title = name }) => (
            <Link href={toHref(['me', 'tools', name])}>
              <Text of={title} />
            </Link>
          ),
        },
        { head: 'What it does', cell: ({ description }) => <Text of={description} /> },
        { head: 'Credits a call', cell: ({ price }) => formatPrice(price), right: true },
        {
          head: 'Needs',
          cell: ({ secrets }) => {
            const missing = secrets.filter(({ isLogin, isSet }) => !isSet && isLogin !== true)
            if (missing.length === 0) return ''
            return (
              <Link href="#/me/secrets">{toShown(missing.map(({ name }) => name).join(', '))}</Link>
            )
          },
        },
      ]}
      empty={{
        title: 'No tool is here.',
        says: <p>Your operator publishes tools. A search looks in names and descriptions.</p>,
      }}
    />
  )
}

function Tool({ params: [name = ''] }: PageProps) {
  const loading = useLoad(
    async (signal) => {
      const query = { search: name, limit: TOOLS_PAGE }
      const { tools } = await ask<{ tools: readonly OwnTool[] }>('me/tools', { query, signal })
      return tools.find((tool) => tool.name === name)
    },
    [name],
  )
  return (
    <Loaded of={loading}>
      {(tool) =>
        tool === undefined ? (
          <Empty title="You may call no tool of this name.">
            <p>
              <Link href="#/me/tools">Tools</Link> has those that you may call.
            </p>
          </Empty>
        ) : (
          <OneTool key={name} tool={tool} />
        )
      }
    </Loaded>
  )
}

type Content = {
  readonly type: string
  readonly text?: string
  readonly data?: string
  readonly mimeType?: string
}
type Answer = {
  readonly callId: string
  readonly content?: readonly Content[]
  readonly isError?: boolean
  /** `input_required`: the tool asks something first, for free. */
  readonly resultType?: string
  readonly credits?: {
    readonly charged: number
    readonly refunded: number
    readonly remaining?: number
  }
  readonly durationMs?: number
}

/**
 * The Idempotency-Key of each call without an answer yet, by its body: a second press after a lost
 * answer gets that answer, and pays nothing more.
 */
const openKeys = new Map<string, string>()

async function callOnce(call: object): Promise<Answer> {
  const body = JSON.stringify(call)
  const idempotencyKey = openKeys.get(body) ?? crypto.randomUUID()
  openKeys.set(body, idempotencyKey)
  try {
    const answer = await ask<Answer>('me/calls', { method: 'POST', body, idempotencyKey })
    openKeys.delete(body)
    return answer
  } catch (cause) {
    if (cause instanceof ApiError && isOver(cause)) openKeys.delete(body)
    throw cause
  }
}

/** False while the call may still run, or may have been charged without a word of it. */
function isOver({ problem, status }: ApiError): boolean {
  if (status === 409) return problem['retryAfterSec'] === undefined
  return status !== 0 && (status < 500 || problem['callId'] !== undefined)
}

function OneTool({ tool }: { tool: OwnTool }) {
  const fields = useMemo(() => toFormFields(tool.inputSchema), [tool])
  const typed = useSignal<Typed>(new Map())
  const answer = useSignal<Answer | undefined>(undefined)
  const work = useWork()
  const call = async () => {
    const read = readArguments(fields, typed.peek())
    if (read.kind === 'faults') {
      const detail = read.errors.map(({ message }) => message).join(' ')
      throw new ApiError(0, { detail, errors: read.errors })
    }
    answer.value = undefined
    answer.value = await callOnce({ skill: tool.name, arguments: read.value })
  }
  const missing = tool.secrets.filter(({ isLogin, isSet }) => !isSet && isLogin !== true)
  return (
    <>
      <p class="lead">
        <Text of={tool.title ?? tool.name} />
      </p>
      <p>
        <Text of={tool.description} />
      </p>
      <Fields
        rows={[
          ['Tool', <Code key="name" of={tool.name} />],
          ['Credits a call', formatPrice(tool.price)],
          ['If it fails', <Text key="refund" of={FREE_FAILURE} />],
          [
            'Secrets',
            tool.secrets
              .map((one) => `${toShown(one.name)} for ${toShown(one.origins.join(', '))}`)
              .join('; '),
          ],
        ]}
      />
      {missing.length > 0 && (
        <p>
          Set {toShown(missing.map(({ name }) => name).join(', '))} under{' '}
          <Link href="#/me/secrets">Secrets</Link> first, or the call will fail.
        </p>
      )}
      <h2>Try it</h2>
      <Form
        work={work}
        onSubmit={call}
        submit={tool.price === 0 ? 'Call it' : `Call it for ${formatCredits(tool.price)} credits`}
      >
        <SchemaFields fields={fields} typed={typed} />
      </Form>
      {(work.error?.status ?? 0) >= 400 && <p>{FREE_FAILURE}</p>}
      {answer.value !== undefined && <Result answer={answer.value} />}
    </>
  )
}

function Result({
  answer: { callId, content = [], credits, durationMs, isError, resultType },
}: {
  answer: Answer
}) {
  const cost = credits === undefined ? undefined : credits.charged - credits.refunded
  return (
    <section aria-label="Result" role="status">
      <h2>{isError === true ? 'The tool answered with an error' : 'Result'}</h2>
      {resultType !== undefined && (
        <p>The tool asks a question first, which only an MCP client can answer.</p>
      )}
      {content.map((one, index) => (
        <ContentBlock key={index} content={one} />
      ))}
      <Fields
        rows={[
          ['You paid', cost === undefined ? '' : `${formatCredits(cost)} credits`],
          ['Left', formatCredits(credits?.remaining)],
          ['Took', formatMs(durationMs)],
          [
            'Call',
            <Link key="call" href={toHref(['me', 'calls', callId])}>
              <Code of={callId} />
            </Link>,
          ],
        ]}
      />
    </section>
  )
}

/** Characters of an answer that are shown before a person asks for all of them. */
const SHOWN_CHARS = 10_000
/** Pictures that browsers show without running anything. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/

function ContentBlock({ content }: { content: Content }) {
  const isWhole = useSignal(false)
  const { data, mimeType = '', text = JSON.stringify(content, null, 2), type } = content
  if (type === 'image' && data !== undefined && PICTURES.test(mimeType)) {
    return <img class="answer" src={`data:${mimeType};base64,${data}`} alt="Answer of the tool" />
  }
  const shown = isWhole.value ? text : text.slice(0, SHOWN_CHARS)
  return (
    <>
      <Block label="Answer of the tool" text={indent(shown)} />
      {shown.length < text.length && (
        <button
          type="button"
          onClick={() => {
            isWhole.value = true
          }}
        >
          {`Show all ${formatCount(text.length)} characters`}
        </button>
      )}
    </>
  )
}

/** JSON on lines of its own; any other text stays as it is. */
function indent(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

export const VIEWS: Views = {
  'me/tools': { render: (page) => <Tools {...page} />, command: () => toCommand(['tools']) },
  'me/tools/{name}': {
    render: (page) => <Tool {...page} />,
    command: ({ params: [name] }) => toCommand(['call', name]),
  },
}
