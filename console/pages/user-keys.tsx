/** How a user gets in: keys, linked identities, invitations, and logins of clients. */
import { ask, segment } from '../api/client.ts'
import { Action } from '../parts/action.tsx'
import { ListPage, type Reload } from '../parts/list-page.tsx'
import { FormAction, type FormField, type RecordBody } from '../parts/record-form.tsx'
import { toColumn } from '../parts/table.tsx'
import { Code, CopyButton, formatCredits, State, toShown, toTime } from '../parts/text.tsx'
import { may } from '../shell/session.ts'

export type Budget = { readonly limit: number; readonly spent: number; readonly renewsOn: string }

export function toBudgetText(budget: Budget | undefined): string {
  if (budget === undefined) return ''
  const { limit, renewsOn, spent } = budget
  return `${formatCredits(spent)} of ${formatCredits(limit)} spent until ${toShown(renewsOn)}`
}

type Key = {
  readonly keyId: string
  readonly keyPrefix: string
  readonly createdAtMs: number
  readonly lastUsedAtMs?: number
  readonly expiresAtMs?: number
  readonly identity?: { readonly issuer: string; readonly subject: string }
  readonly tools?: readonly string[]
  readonly maxCreditsPerCall?: number
  readonly mayIssueKeys?: boolean
  readonly parentKeyId?: string
  readonly invitation?: string
  readonly monthlyBudget?: Budget
  readonly callsPerDay?: { readonly limit: number; readonly made: number }
}

/** `base`: the route of the person, `admin/users/{uid}` or `me`. */
export type OfPerson = { readonly base: string; readonly mayChange: boolean }

/** `ownKeyId`: the key with which the person who looks has signed in. */
export function Keys({ base, mayChange, ownKeyId }: OfPerson & { readonly ownKeyId?: string }) {
  return (
    <ListPage<Key>
      caption="Keys, identities and invitations"
      path={`${base}/keys`}
      rows="keys"
      query={{}}
      before={mayChange && ((reload) => <NewKeys {...{ base, reload }} />)}
      actions={
        mayChange &&
        ((key, reload) => (
          <KeyActions
            of={key}
            path={`${base}/keys/${segment(key.keyId)}`}
            isOwn={key.keyId === ownKeyId}
            {...{ reload }}
          />
        ))
      }
      toKey={({ keyId }) => keyId}
      columns={[
        { head: 'Key', cell: (key) => <KeyName of={key} isOwn={key.keyId === ownKeyId} /> },
        { head: 'May do', cell: toScopeText },
        toColumn('Made', 'createdAtMs', toTime),
        toColumn('Last used', 'lastUsedAtMs', toTime),
        toColumn('Ends', 'expiresAtMs', toTime),
      ]}
      empty={{
        title: 'There is no key yet.',
        says: <p>A client calls with a key, or logs in. A key is shown only once.</p>,
      }}
    />
  )
}

function NewKeys({ base, reload }: { base: string; reload: Reload }) {
  const post = async <T,>(to: string, body: RecordBody): Promise<T> => {
    const answer = await ask<T>(`${base}/${to}`, { method: 'POST', body })
    await reload()
    return answer
  }
  return (
    <>
      <FormAction<{ key: string }>
        submit="Issue a key"
        says="It ends after 30 days without use. Limits can be changed later."
        fields={toScopeFields()}
        onSend={(body) => post('keys', body)}
        shows={({ key }) => <Once name="key" text={key} />}
      />
      {may('operator') && (
        <>
          <FormAction<{ link: string }>
            submit="Invite to log in"
            says="Makes a link with which the user logs in once, within 7 days."
            fields={toScopeFields().slice(0, -1)}
            onSend={(body) => post('invites', body)}
            shows={({ link }) => <Once name="link" text={link} />}
          />
          <FormAction
            submit="Link an identity"
            says="A login of your issuer becomes this user. Give the id that a refused login shows, the subject, or an address that is invited."
            fields={IDENTITY_FIELDS}
            onSend={(body) => post('identities', body)}
          />
        </>
      )}
    </>
  )
}

/** A text that no later answer has. */
function Once({ name, text }: { name: string; text: string }) {
  return (
    <>
      <p role="status">
        This {name} is shown only now. Copy it before you close this: it will not come again.
      </p>
      <p>
        <Code of={text} /> <CopyButton text={text} />
      </p>
    </>
  )
}

const IDENTITY_FIELDS: readonly FormField[] = [
  { name: 'identity', label: 'Id of the refused login', hint: 'Alone; it begins with i:' },
  { name: 'issuer', label: 'Issuer', hint: 'As the settings have it, with one of the next two.' },
  { name: 'subject', label: 'Subject' },
  { name: 'email', label: 'Mail address' },
]

/** What a key may do; of a key that exists, with what it has. */
function toScopeFields(key?: Key): readonly FormField[] {
  return [
    {
      name: 'tools',
      label: 'Tools',
      as: 'list',
      now: key?.tools,
      hint: 'Such as sg_* ada_notes. Empty: every tool.',
    },
    {
      name: 'maxCreditsPerCall',
      label: 'Most credits of a call',
      as: 'number',
      now: key?.maxCreditsPerCall,
    },
    {
      name: 'monthlyBudget',
      label: 'Budget of a month, in credits',
      as: 'number',
      now: key?.monthlyBudget?.limit,
    },
    { name: 'callsPerDay', label: 'Calls a day (UTC)', as: 'number', now: key?.callsPerDay?.limit },
    {
      name: 'mayIssueKeys',
      label: 'Sub-keys',
      as: 'boolean',
      now: key?.mayIssueKeys ?? false,
      choices: [
        ['false', 'may not issue them'],
        ['true', 'may issue them'],
      ],
    },
  ]
}

function KeyName({
  isOwn,
  of: { identity, invitation, keyPrefix, parentKeyId },
}: {
  of: Key
  isOwn: boolean
}) {
  return (
    <>
      <Code of={identity === undefined ? keyPrefix : identity.subject} />{' '}
      <small>
        {toShown(identity?.issuer)}
        {parentKeyId !== undefined && 'sub-key'}
        {invitation !== undefined && `invitation, ${toShown(invitation)}`}
      </small>
      {isOwn && <State of="in use here" />}
    </>
  )
}

function toScopeText(key: Key): string {
  const { callsPerDay, maxCreditsPerCall, tools } = key
  const words = [
    tools === undefined ? 'every tool' : toShown(tools.join(' ')) || 'no tool',
    maxCreditsPerCall === undefined ? '' : `${formatCredits(maxCreditsPerCall)} credits a call`,
    toBudgetText(key.monthlyBudget),
    callsPerDay === undefined ? '' : `${callsPerDay.made} of ${callsPerDay.limit} calls today`,
    key.mayIssueKeys === true ? 'issues sub-keys' : '',
  ]
  return words.filter((word) => word !== '').join(' · ')
}

function KeyActions({
  isOwn,
  of: key,
  path,
  reload,
}: {
  of: Key
  path: string
  isOwn: boolean
  reload: Reload
}) {
  return (
    <span class="actions">
      <FormAction
        submit="Change"
        says="Tools and price hold within 30 seconds, budgets from the next call on."
        fields={toScopeFields(key)}
        onSend={(body) => ask(path, { method: 'PATCH', body }).then(reload)}
      />
      <Action
        label={key.identity === undefined ? 'Revoke' : 'Unlink'}
        confirm={key.identity?.subject ?? key.keyPrefix}
        says={`It stops working within 30 seconds, and cannot be brought back.${
          isOwn ? ' You are signed in with it, so this page signs you out.' : ''
        }`}
        onDo={() => ask(path, { method: 'DELETE' }).then(reload)}
      />
    </span>
  )
}
