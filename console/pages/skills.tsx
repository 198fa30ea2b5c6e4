/** Skills: search them, and one of them with its definition. */
import { useSignal } from '@preact/signals'
import { ask, segment } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { Empty, Loaded } from '../parts/states.tsx'
import { Fields, More, Table } from '../parts/table.tsx'
import { Block, Code, formatCredits, Link, Text, Time } from '../parts/text.tsx'
import { toHref } from '../shell/route.ts'
import type { Page, PageProps } from './page.ts'

type Listed = {
  readonly skillId: string
  readonly source: string
  readonly uid?: string
  readonly toolName: string
  readonly updatedAtMs: number
}
type SkillPage = { readonly skills: readonly Listed[]; readonly nextCursor?: string }

function Skills({ query }: PageProps) {
  const source = query['source'] ?? 'official'
  const rows = useSignal<readonly Listed[]>([])
  const cursor = useSignal<string | undefined>(undefined)
  const load = async (signal?: AbortSignal, from?: string) => {
    const page = await ask<SkillPage>('admin/skills', {
      query: { source, uid: query['uid'], cursor: from },
      ...(signal === undefined ? {} : { signal }),
    })
    rows.value = from === undefined ? page.skills : [...rows.peek(), ...page.skills]
    cursor.value = page.nextCursor
    return page
  }
  const loading = useLoad((signal) => load(signal), [source, query['uid']])
  return (
    <Loaded of={loading}>
      {() =>
        rows.value.length === 0 ? (
          <Empty title={`There is no ${source} skill.`}>
            <p>A skill is one JSON record: a name, parameters, an upstream and a price.</p>
          </Empty>
        ) : (
          <>
            <Table
              caption="Skills"
              rows={rows.value}
              toKey={({ skillId }) => skillId}
              columns={[
                {
                  head: 'Skill',
                  cell: ({ skillId }) => (
                    <Link href={toHref(['skills', source, skillId], { uid: query['uid'] })}>
                      <Text of={skillId} />
                    </Link>
                  ),
                },
                { head: 'Tool', cell: ({ toolName }) => <Code of={toolName} /> },
                { head: 'Changed', cell: ({ updatedAtMs }) => <Time ms={updatedAtMs} /> },
              ]}
            />
            <More cursor={cursor.value} onMore={() => load(undefined, cursor.peek())} />
          </>
        )
      }
    </Loaded>
  )
}

type Skill = Listed & {
  readonly version: number
  readonly definition: { readonly meta?: { description?: string }; credits_per_call?: number }
}

function Skill({ params: [source = '', skillId = ''], query }: PageProps) {
  const skill = useLoad(
    (signal) =>
      ask<Skill>(`admin/skills/${segment(source)}/${segment(skillId)}`, {
        query: { uid: query['uid'] },
        signal,
      }),
    [source, skillId, query['uid']],
  )
  return (
    <Loaded of={skill}>
      {(value) => (
        <>
          <Fields
            rows={[
              ['Skill', <Code key="id" of={value.skillId} />],
              ['Tier', value.source],
              ['Tool', <Code key="tool" of={value.toolName} />],
              ['Version', String(value.version)],
              ['Changed', <Time key="at" ms={value.updatedAtMs} />],
              ['Price', formatCredits(value.definition.credits_per_call)],
              ['Says', <Text key="says" of={value.definition.meta?.description} />],
            ]}
          />
          <Block text={JSON.stringify(value.definition, null, 2)} label="Definition" />
        </>
      )}
    </Loaded>
  )
}

export const SKILL_PAGES: readonly Page[] = [
  {
    path: 'skills',
    title: 'Skills',
    audience: 'administrators',
    isListed: true,
    command: () => 'skillgate skills ls',
    render: (page) => <Skills {...page} />,
  },
  {
    path: 'skills/{source}/{skillId}',
    title: 'Skill',
    audience: 'administrators',
    isListed: false,
    command: ({ params: [source, skillId], query }) =>
      `skillgate skills show '${skillId}' --source ${source}${query['uid'] ? ` --uid '${query['uid']}'` : ''}`,
    render: (page) => <Skill {...page} />,
  },
]
