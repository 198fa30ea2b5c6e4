/** The pages of users, each about themselves. */
import type { Page } from '../page.ts'
import { Connect, Keys, Logins } from './access.tsx'
import { Call, Calls, Ledger } from './calls.tsx'
import { Managed } from './managed.tsx'
import { Balance, Usage } from './money.tsx'
import { Secrets } from './secrets.tsx'
import { Tool, Tools } from './tools.tsx'

/** The first page of users. */
export const OWN_PAGE = 'me'

type Row = readonly [path: string, title: string, render: Page['render'], command?: Page['command']]

const ROWS: readonly Row[] = [
  [OWN_PAGE, 'Balance', () => <Balance />],
  ['me/tools', 'Tools', (page) => <Tools {...page} />, () => 'skillgate tools'],
  [
    'me/tools/{name}',
    'Tool',
    (page) => <Tool {...page} />,
    ({ params: [name = ''] }) => `skillgate call '${name}'`,
  ],
  ['me/calls', 'Calls', (page) => <Calls {...page} />],
  ['me/calls/{callId}', 'Call', (page) => <Call {...page} />],
  ['me/usage', 'Usage', (page) => <Managed>{() => <Usage {...page} />}</Managed>],
  ['me/ledger', 'Ledger', (page) => <Ledger {...page} />],
  ['me/keys', 'Keys', (page) => <Keys {...page} />],
  ['me/secrets', 'Secrets', () => <Managed>{() => <Secrets />}</Managed>],
  ['me/logins', 'Logins', (page) => <Logins {...page} />],
  ['me/connect', 'Connect', () => <Connect />, () => 'skillgate connect --list'],
]

export const ME_PAGES: readonly Page[] = ROWS.map(([path, title, render, command]) => ({
  path,
  title,
  audience: 'users',
  isListed: !path.includes('{'),
  ...(command === undefined ? {} : { command }),
  render,
}))
