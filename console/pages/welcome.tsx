/**
 * The first-run sheet of a gateway on this machine. The link in its terminal has a code, which is
 * exchanged for the keys once and then taken out of the address. The keys go when the session ends.
 */
import { effect, signal } from '@preact/signals'
import type { AdminRole } from '../../core/access/admin-role.ts'
import { ask, tryCredential } from '../api/client.ts'
import { useLoad } from '../api/load.ts'
import { ConnectLines } from '../parts/connect.tsx'
import { Empty, Loaded } from '../parts/states.tsx'
import { Fields } from '../parts/table.tsx'
import { Code, CopyButton, Link } from '../parts/text.tsx'
import { go } from '../shell/route.ts'
import { person, signIn } from '../shell/session.ts'
import type { PageProps, Views } from './page.ts'

type Sheet = {
  readonly mcpUrl: string
  readonly username: string
  readonly key: string
  readonly adminKey: string
}

const sheet = signal<Sheet | undefined>(undefined)
effect(() => {
  if (person.value.kind === 'nobody') sheet.value = undefined
})

function Exchange({ params: [code = ''] }: PageProps) {
  const exchange = useLoad(
    async (abort) => {
      const body = { code }
      const keys = await ask<Sheet>('console/welcome', { method: 'POST', body, signal: abort })
      const headers = { 'X-Admin-Key': keys.adminKey }
      const who = await tryCredential<{ name: string; role: AdminRole }>('admin/whoami', headers)
      signIn({ kind: 'administrator', ...who }, { headers: () => Promise.resolve(headers) })
      sheet.value = keys
      go('#/welcome', true)
    },
    [code],
  )
  return <Loaded of={exchange}>{() => null}</Loaded>
}

function Welcome() {
  if (sheet.value === undefined) {
    return (
      <Empty title="The keys of this gateway are shown once.">
        <p>
          <code>npm start</code> and <code>skillgate dev</code> print a link to them in the
          terminal. Start the gateway again for a new link, or{' '}
          <Link href="#/">sign in with a key</Link>.
        </p>
      </Empty>
    )
  }
  const { adminKey, key, mcpUrl, username } = sheet.value
  return (
    <>
      <p class="lead">
        The gateway runs on this machine, and you are signed in as its administrator. The keys are
        in the terminal, too.
      </p>
      <Fields
        rows={[
          ['Agents connect to', <Copied key="mcp" of={mcpUrl} name="address" />],
          [`Key of ${username}, for agents`, <Copied key="key" of={key} name="key" />],
          ['Key of administrators', <Copied key="admin" of={adminKey} name="admin key" />],
        ]}
      />
      <h2>Connect a client</h2>
      <ConnectLines mcpUrl={mcpUrl} apiKey={key} />
      <h2>Go on</h2>
      <p>
        Look at the <Link href="#/skills">skills</Link> that agents find as tools, at the{' '}
        <Link href="#/users">users</Link> and their credits, and at the <Link href="#/">calls</Link>{' '}
        once a client has made some.
      </p>
    </>
  )
}

function Copied({ of, name }: { of: string; name: string }) {
  return (
    <>
      <Code of={of} /> <CopyButton text={of} label={`Copy the ${name}`} />
    </>
  )
}

export const VIEWS: Views = {
  welcome: {
    render: () => <Welcome />,
  },
  'welcome/{code}': {
    render: (page) => <Exchange {...page} />,
  },
}
