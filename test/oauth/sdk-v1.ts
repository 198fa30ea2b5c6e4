/** The official SDK's v1 line over Streamable HTTP, with its own OAuth client. */
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { connectV1 } from '../clients/sdk-v1.ts'
import type { LoginClient } from './agent.ts'
import { makeProvider, withLogin } from './provider.ts'

export const sdkV1: LoginClient = {
  name: 'sdk v1 1.32.2',
  // It refreshes, which adds no scope, and then says that the server refuses it after upscoping.
  stepUp: 'refused',
  connect: async ({ mcp, person }) => {
    const provider = makeProvider(person, 'SDK v1')
    const open = () => new StreamableHTTPClientTransport(new URL(mcp), { authProvider: provider })
    let transport = open()
    const finish = (callback: URL) => transport.finishAuth(callback.searchParams.get('code') ?? '')
    // The SDK's own types do not allow for an undefined session id.
    const connect = () => connectV1(transport as Transport)
    const agent = await withLogin(provider, {
      work: connect,
      finish,
      again: () => {
        transport = open()
        return connect()
      },
    })
    return {
      toolNames: agent.toolNames,
      call: (name, args) => {
        const work = () => agent.call(name, args)
        return withLogin(provider, { work, finish, again: work })
      },
      loseClient: provider.loseClient,
      close: agent.close,
    }
  },
}
