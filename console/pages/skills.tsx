/** Skills: search them, and one of them with its definition. */
import { ask, segment } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { ListPage } from '../parts/list-page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Fields } from '../parts/table.tsx'
import { Block, Code, formatCredits, Link, Text, Time } from '../parts/text.tsx'
import { toHref } from '../shell/route.ts'
import type { Page, PageProps } from './page.ts'

type Listed = {
  readonly skillId: string
  readonly source: string
  readonly uid?: string
  readonly toolName: string
  readonly updatedAtMs: number
  readonly version: number
  readonly skill: { readonly meta?: { description?: string }; readonly credits_per_call?: number }
}
function Skills({ query }: PageProps) {
  return (
    <ListPage<Listed>
      caption="Skills"
      path="admin/skills"
      rows="skills"
      query={query}
      filters={[
        {
          name: 'source',
          label: 'Tier',
          choices: [
            ['official', 'official'],
            ['market', 'market'],
            ['private', 'private'],
          ],
        },
        { name: 'uid', label: 'Owner of private skills' },
      ]}
      toKey={({ skillId }) => skillId}
      columns={[
        {
          head: 'Skill',
          cell: ({ skillId, source, uid }) => (
            <Link href={toHref(['skills', source, skillId], { uid })}>
              <Text of={skillId} />
            </Link>
          ),
        },
        { head: 'Tool', cell: ({ toolName }) => <Code of={toolName} /> },
        { head: 'Price', cell: ({ skill }) => formatCredits(skill.credits_per_call), right: true },
        { head: 'Version', cell: ({ version }) => version, right: true },
        { head: 'Changed', cell: ({ updatedAtMs }) => <Time ms={updatedAtMs} /> },
      ]}
      empty={{
        title: 'No skill is here.',
        says: <p>A skill is one JSON record: a name, parameters, an upstream and a price.</p>,
      }}
    />
  )
}

function Skill({ params: [source = '', skillId = ''], query }: PageProps) {
  const skill = useLoad(
    (signal) =>
      ask<Listed>(`admin/skills/${segment(source)}/${segment(skillId)}`, {
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
              ['Price', formatCredits(value.skill.credits_per_call)],
              ['Says', <Text key="says" of={value.skill.meta?.description} />],
            ]}
          />
          <Block text={JSON.stringify(value.skill, null, 2)} label="Definition" />
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
