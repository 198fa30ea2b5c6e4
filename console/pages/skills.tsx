/** Skills: find them, and what one of them is, costs and does. */
import { useSignal } from '@preact/signals'
import { SKILL_STATES } from '../../core/skills/definition/read-state.ts'
import { ask, segment } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { Action } from '../parts/action.tsx'
import { bind } from '../parts/bind.ts'
import { toCommand } from '../parts/command.ts'
import { Choice, Field, Form, Price, useWork } from '../parts/form.tsx'
import { ListPage } from '../parts/list-page.tsx'
import { Loaded } from '../parts/states.tsx'
import { Fields } from '../parts/table.tsx'
import { Block, Code, formatCredits, Link, State, Text, Time } from '../parts/text.tsx'
import { go, toHref } from '../shell/route.ts'
import { may } from '../shell/session.ts'
import type { PageProps, Views } from './page.ts'

/** A stored skill, as the admin API shows it. */
export type StoredSkill = {
  readonly skillId: string
  readonly source: string
  readonly uid?: string
  readonly toolName: string
  readonly updatedAtMs: number
  readonly version: number
  readonly skill: {
    readonly meta?: {
      readonly name?: string
      readonly description?: string
      readonly parameters?: { readonly properties?: object }
    }
    readonly config?: {
      readonly endpoint?: string
      readonly method?: string
      readonly lambda?: { readonly function?: string }
    }
    readonly credits_per_call?: number
    readonly state?: string
    readonly state_reason?: string
    readonly groups?: readonly string[]
  }
}

/** What names a skill in the address of its pages and in requests. */
export function readPlace({ params: [source = '', skillId = ''], query }: PageProps) {
  const { uid } = query
  return {
    source,
    skillId,
    uid,
    path: `admin/skills/${segment(source)}/${segment(skillId)}`,
    href: (...more: readonly string[]) => toHref(['skills', source, skillId, ...more], { uid }),
    command: (verb: string) => toCommand(['skills', verb, skillId], { source, uid }),
  }
}

/** Loads the skill of a page. */
export function useSkill(page: PageProps) {
  const { path, uid } = readPlace(page)
  const load = (signal: AbortSignal) => ask<StoredSkill>(path, { query: { uid }, signal })
  return useLoad(load, [path, uid])
}

const STATE_CHOICES = SKILL_STATES.map((state) => [state, state] as const)

function Skills({ query }: PageProps) {
  return (
    <>
      {may('publisher') && (
        <p class="links">
          <Link href="#/skills-new">Write a skill</Link> <Link href="#/import">Import skills</Link>
        </p>
      )}
      <ListPage<StoredSkill>
        caption="Skills"
        path="admin/skills"
        rows="skills"
        query={query}
        filters={[
          { name: 'search', label: 'Words' },
          {
            name: 'source',
            label: 'Tier',
            choices: [
              ['', 'all shared'],
              ['official', 'official'],
              ['market', 'market'],
              ['private', 'private'],
            ],
          },
          { name: 'state', label: 'State', choices: [['', 'all'], ...STATE_CHOICES] },
          { name: 'group', label: 'Group' },
          { name: 'uid', label: 'Owner of private skills' },
        ]}
        toKey={({ skillId, source }) => `${source} ${skillId}`}
        columns={[
          {
            head: 'Skill',
            cell: ({ skill, skillId, source, uid }) => (
              <>
                <Link href={toHref(['skills', source, skillId], { uid })}>
                  <Text of={skillId} />
                </Link>
                <br />
                <small class="line">
                  <Text of={skill.meta?.description} />
                </small>
              </>
            ),
          },
          { head: 'Tier', cell: ({ source }) => <span class="short">{source}</span> },
          { head: 'State', cell: ({ skill }) => <State of={skill.state ?? 'listed'} /> },
          {
            head: 'Credits',
            cell: ({ skill }) => formatCredits(skill.credits_per_call),
            right: true,
          },
          { head: 'Groups', cell: ({ skill }) => <Text of={skill.groups?.join(', ')} /> },
          { head: 'Changed', cell: ({ updatedAtMs }) => <Time ms={updatedAtMs} /> },
        ]}
        empty={{
          title: 'No skill is here.',
          says: (
            <p>
              Words are searched in ids, names, descriptions and tags. A skill that is disabled or
              unlisted is found by the beginning of its id, or by its state.
            </p>
          ),
        }}
      />
    </>
  )
}

function Skill(page: PageProps) {
  const skill = useSkill(page)
  return (
    <Loaded of={skill}>
      {(stored) => <Detail key={stored.version} {...{ page, stored }} onDone={skill.reload} />}
    </Loaded>
  )
}

type DetailProps = {
  page: PageProps
  stored: StoredSkill
  onDone: () => Promise<void>
}

function Detail({ onDone, page, stored }: DetailProps) {
  const { href } = readPlace(page)
  const { config, groups, meta, state = 'listed', state_reason: reason, ...skill } = stored.skill
  return (
    <>
      <p class="lead">
        <Text of={meta?.description} />
      </p>
      <Fields
        rows={[
          ['Name', <Text key="name" of={meta?.name} />],
          ['Skill', <Code key="id" of={stored.skillId} />],
          ['Tool', <Code key="tool" of={stored.toolName} />],
          ['Tier', stored.source],
          ['Owner', stored.uid && <Code key="uid" of={stored.uid} />],
          ['State', <State key="state" of={state} />],
          ['Reason', reason && <Text key="why" of={reason} />],
          ['Credits per call', formatCredits(skill.credits_per_call)],
          ['Calls go to', <Code key="to" of={toTarget(config)} />],
          [
            'Groups',
            groups === undefined ? 'everybody' : <Text key="groups" of={groups.join(', ')} />,
          ],
          ['Version', `${stored.version}`],
          ['Changed', <Time key="at" ms={stored.updatedAtMs} />],
        ]}
      />
      <p class="links">
        <Link href={href('try')}>Try it</Link> <Link href={href('versions')}>Versions</Link>{' '}
        {may('publisher') && <Link href={href('edit')}>Edit</Link>}
        <Link href={toHref(['calls'], { skill: stored.skillId })}>Calls</Link>
      </p>
      {may('publisher') && <Changes {...{ onDone, page, stored }} />}
      <h2>Definition</h2>
      <Block text={JSON.stringify(stored.skill, null, 2)} label="Definition" />
    </>
  )
}

function toTarget(config: StoredSkill['skill']['config']): string {
  const { endpoint, lambda, method = '' } = config ?? {}
  return lambda?.function ?? `${method} ${endpoint ?? ''}`.trim()
}

function Changes({ onDone, page, stored }: DetailProps) {
  const { path, skillId, uid } = readPlace(page)
  const { credits_per_call: credits = 0, groups = [], state = 'listed' } = stored.skill
  const next = useSignal(state)
  const reason = useSignal(stored.skill.state_reason ?? '')
  const price = useSignal(String(credits))
  const group = useSignal(groups.join(', '))
  const work = useWork()
  const send = (change: object) =>
    ask(path, {
      method: 'PATCH',
      query: { uid },
      body: { ...change, expectedVersion: stored.version },
    }).then(onDone)
  const save = () =>
    send({
      state: next.peek(),
      ...(next.peek() !== 'listed' && reason.peek() !== '' && { reason: reason.peek() }),
      credits: Number(price.peek()),
      ...(stored.uid === undefined && {
        groups: group
          .peek()
          .split(/[\s,]+/)
          .filter((name) => name !== ''),
      }),
    })
  return (
    <>
      <div class="links">
        {state === 'disabled' ? (
          <Action label="Serve it again" onDo={() => send({ state: 'listed' })} />
        ) : (
          <Action
            label="Stop"
            danger
            says="Calls are refused from now on, free of charge, and no list has the tool."
            onDo={() => send({ state: 'disabled' })}
          />
        )}
        <Action
          label="Delete"
          says="Agents lose the tool within a second. Its versions are kept, and a rollback brings it back."
          confirm={skillId}
          onDo={async () => {
            await ask(path, { method: 'DELETE', query: { uid } })
            go('#/skills')
          }}
        />
      </div>
      <details>
        <summary>Change state, price or groups</summary>
        <Form work={work} onSubmit={save} submit="Save the change">
          <Choice
            label="State"
            value={next.value}
            options={STATE_CHOICES}
            onChange={bind(next).onInput}
          />
          <Field label="Reason" hint="Agents read it." {...bind(reason)} />
          <Price {...bind(price)} />
          {stored.uid === undefined && (
            <Field label="Groups" hint="Nobody else sees it. Empty: everybody." {...bind(group)} />
          )}
        </Form>
      </details>
    </>
  )
}

export const VIEWS: Views = {
  skills: {
    command: ({ query: { source, uid } }) => toCommand(['skills', 'ls'], { source, uid }),
    render: (page) => <Skills {...page} />,
  },
  'skills/{source}/{skillId}': {
    command: (page) => readPlace(page).command('show'),
    render: (page) => <Skill {...page} />,
  },
}
