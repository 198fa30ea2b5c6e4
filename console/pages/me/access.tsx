/** How a user gets in: keys, logins of clients, and the lines that connect one. */

import { useLoad } from '../../api/load.ts'
import { toCommand } from '../../parts/command.ts'
import { ConnectLines } from '../../parts/connect.tsx'
import { Empty, Loaded } from '../../parts/states.tsx'
import { Code, CopyButton } from '../../parts/text.tsx'
import { Logins } from '../logins.tsx'
import type { Views } from '../page.ts'
import { Keys } from '../user-keys.tsx'
import { Managed } from './managed.tsx'
import { askMe } from './me.ts'

function Connect() {
  const me = useLoad(askMe)
  return (
    <Loaded of={me}>
      {({ urls: { mcp } }) =>
        mcp === undefined ? (
          <Empty title="The gateway does not know its address for MCP.">
            <p>Ask your administrator for the address that ends with /mcp.</p>
          </Empty>
        ) : (
          <>
            <p>
              The address for MCP is <Code of={mcp} /> <CopyButton text={mcp} />
            </p>
            <ConnectLines mcpUrl={mcp} />
          </>
        )
      }
    </Loaded>
  )
}

export const VIEWS: Views = {
  'me/keys': {
    render: () => <Managed>{({ keyId }) => <Keys base="me" mayChange ownKeyId={keyId} />}</Managed>,
  },
  'me/logins': { render: () => <Managed>{() => <Logins base="me" mayChange />}</Managed> },
  'me/connect': { render: () => <Connect />, command: () => toCommand(['connect', '--list']) },
}
