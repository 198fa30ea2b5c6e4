/** Secrets of one user, and those that serve all users: where each is sent, never its value. */
import { ask, segment } from '../api/client.ts'
import { Action } from '../parts/action.tsx'
import { toCommand } from '../parts/command.ts'
import { ListPage } from '../parts/list-page.tsx'
import { FormAction, type FormField, type RecordBody } from '../parts/record-form.tsx'
import { toColumn } from '../parts/table.tsx'
import { formatCount, Time, toCode, toShown, toTime } from '../parts/text.tsx'
import { may } from '../shell/session.ts'
import type { Views } from './page.ts'
import type { OfPerson } from './user-keys.tsx'

type Secret = {
  readonly name: string
  readonly skillId?: string
  readonly origins: readonly string[]
  readonly marketSkills?: readonly string[]
  readonly setAnew?: boolean
  readonly updatedAtMs: number
  readonly setBy?: string
  readonly ageDays?: number
  readonly previousUntilMs?: number
  readonly lastUsedDayMs?: number
}

const DAY_MS = 86_400_000

/** `base`: the route of a person, `admin/users/{uid}`; that of shared ones is `admin`. */
export function SecretList({ base, mayChange }: OfPerson) {
  const path = `${base}/secrets`
  const isShared = base === 'admin'
  const set = async ({ name, skill, ...sent }: RecordBody) => {
    const query = { skill: typeof skill === 'string' ? skill : undefined }
    // What was emptied is left out, since this request replaces the whole secret.
    const body = Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== null))
    await ask(`${path}/${segment(String(name))}`, { method: 'PUT', query, body })
  }
  const remove = ({ name, skillId }: Secret) =>
    ask(`${path}/${segment(name)}`, { method: 'DELETE', query: { skill: skillId } })
  return (
    <ListPage<Secret>
      caption={isShared ? 'Shared secrets' : 'Secrets'}
      path={path}
      rows="secrets"
      query={{}}
      before={
        mayChange &&
        ((reload) => (
          <FormAction
            submit="Set a secret"
            fields={toFields(isShared)}
            onSend={(body) => set(body).then(reload)}
          />
        ))
      }
      actions={
        mayChange &&
        ((secret, reload) => (
          <span class="actions">
            <FormAction
              submit="Replace"
              says="The new value is used within 30 seconds."
              fields={toFields(isShared, secret).slice(2)}
              onSend={(body) => set({ ...toKept(secret), ...body }).then(reload)}
            />
            <Action
              label="Delete"
              confirm={secret.name}
              says="Calls stop using it within 30 seconds. Those that need it fail, free of charge."
              onDo={() => remove(secret).then(reload)}
            />
          </span>
        ))
      }
      toKey={({ name, skillId = '' }) => `${skillId} ${name}`}
      columns={[
        toColumn('Name', 'name', toCode),
        { head: 'For', cell: (secret) => toUsers(secret, isShared) },
        { head: 'Sent to', cell: toPlaces },
        { head: 'Set', cell: toAge },
        ...(isShared
          ? [
              toColumn<Secret>('Set by', 'setBy'),
              toColumn<Secret>('Last used', 'lastUsedDayMs', toTime),
            ]
          : []),
      ]}
      empty={{
        title: 'No secret is set.',
        says: (
          <p>
            Skills name a secret as <code>{'{{secrets.NAME}}'}</code>. Its value is never shown
            again.
          </p>
        ),
      }}
    />
  )
}

/** `secret`: the one that is replaced; its name and skill stay. */
function toFields(isShared: boolean, secret?: Secret): readonly FormField[] {
  return [
    { name: 'name', label: 'Name', required: true, hint: 'Capitals, digits and _' },
    { name: 'skill', label: 'Skill', hint: 'The only one that may use it. Empty: all skills.' },
    {
      name: 'value',
      label: 'Value',
      as: 'password',
      required: true,
      hint: 'Never shown again, to anybody.',
    },
    {
      name: 'origins',
      label: 'Sent to',
      as: 'list',
      now: secret?.origins,
      hint: 'Such as https://api.example.com. With a skill: besides its own upstream.',
    },
    isShared
      ? {
          name: 'keepPreviousSec',
          label: 'Keep the former value, in seconds',
          as: 'number',
          hint: 'Used again where the upstream refuses the new one.',
        }
      : {
          name: 'marketSkills',
          label: 'Market skills that may use it',
          as: 'list',
          now: secret?.marketSkills,
        },
  ]
}

/** What a new value keeps. */
function toKept({ marketSkills = [], name, origins, skillId }: Secret): RecordBody {
  return {
    name,
    skill: skillId,
    ...(origins.length === 0 ? {} : { origins }),
    ...(marketSkills.length === 0 ? {} : { marketSkills }),
  }
}

function toUsers({ marketSkills = [], skillId }: Secret, isShared: boolean): string {
  if (skillId !== undefined) return toShown(skillId)
  const others = isShared ? 'all official skills' : 'official and private skills'
  return [others, ...marketSkills.map(toShown)].join(', ')
}

function toPlaces({ origins, setAnew }: Secret): string {
  if (setAnew === true) return 'nowhere: set it again'
  return origins.length === 0 ? 'wherever these skills send it' : toShown(origins.join(' '))
}

function toAge({ previousUntilMs, updatedAtMs }: Secret) {
  const days = Math.floor((Date.now() - updatedAtMs) / DAY_MS)
  return (
    <>
      {days < 1 ? <Time ms={updatedAtMs} /> : `${formatCount(days)} days ago`}
      {previousUntilMs !== undefined && previousUntilMs > Date.now() && (
        <small>
          {' '}
          former value until <Time ms={previousUntilMs} />
        </small>
      )}
    </>
  )
}

export const VIEWS: Views = {
  secrets: {
    command: () => toCommand(['secrets', 'shared', 'ls']),
    render: () => (
      <>
        <p>
          A shared secret serves all users who have none of the same name. Those of one user are on
          the page of the user.
        </p>
        <SecretList base="admin" mayChange={may('operator')} />
      </>
    ),
  },
}
