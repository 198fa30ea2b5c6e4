/** Signs a person in for a gateway: by the browser of this machine, or on another device. */
import type { StoredLogin } from '../../adapters/profiles/config-file.ts'
import { getOption, type Invocation, isOn, type Option } from '../command/command.ts'
import { CommandFault, toUsageFault } from '../terminal/exit-code.ts'
import { hasBrowser, signInByBrowser } from './browser-flow.ts'
import { signInOnDevice } from './device-flow.ts'
import { chooseClient, readEndpoints, type SignInClient } from './find-issuer.ts'

export const SIGN_IN_OPTIONS: readonly Option[] = [
  { flag: 'device', help: 'sign in on another device: prints a page and a code' },
  { flag: 'issuer', value: 'URL', help: 'where to sign in, if the gateway has several issuers' },
  {
    flag: 'port',
    value: 'N',
    help: "port for the browser's answer, if the issuer knows only certain ones (any free one)",
  },
]

const PORT_MAX = 65_535

/** Returns the tokens. Throws a CommandFault if the person or the issuer refuses. */
export async function signIn(
  call: Invocation,
  clients: readonly SignInClient[],
): Promise<StoredLogin> {
  const client = chooseClient(clients, getOption(call, 'issuer'))
  const port = readPort(call)
  const endpoints = await readEndpoints(call, client.issuer)
  const { authorizationUrl, deviceUrl } = endpoints
  const isDevice = isOn(call, 'device')
  if (isDevice && deviceUrl === undefined) {
    throw new CommandFault(`${client.issuer} has no sign-in on other devices.`, {
      remedy: 'Leave --device out, or sign in with an admin key.',
    })
  }
  if (deviceUrl !== undefined && (isDevice || !hasBrowser(call.shell))) {
    return signInOnDevice(call, { client, endpoints }, deviceUrl)
  }
  if (authorizationUrl === undefined) {
    throw new CommandFault(`${client.issuer} has no sign-in by a browser.`, {
      remedy: 'Add --device, or sign in with an admin key.',
    })
  }
  return signInByBrowser(call, { client, endpoints }, { authorizationUrl, port })
}

function readPort(call: Invocation): number {
  const text = getOption(call, 'port') ?? '0'
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= PORT_MAX) return port
  throw toUsageFault(
    `--port: ${text} is not a port.`,
    `Give a number from 1 to ${PORT_MAX}, or leave it out.`,
  )
}
