/** A twin whose administrators sign in at an `oidc-provider`, and the commands of a person there. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { StoredLogin } from '../../adapters/profiles/config-file.ts'
import { toPrograms } from '../../cli/terminal/process-shell.ts'
import { DEFAULT_OPTIONS } from '../../local/settings/option-table.ts'
import { startTwin, type Twin } from '../../local/start-twin.ts'
import {
  CLI_CLIENT,
  type OidcServer,
  type Person,
  startOidcServer,
} from '../issuers/oidc-provider.ts'
import { type CommandOutcome, runLine, type ShellOptions } from './test-shell.ts'

export const ADMIN_AUDIENCE = 'https://skillgate.example/v1/admin'

export type SignInTwin = {
  readonly twin: Twin
  readonly oidc: OidcServer
  readonly home: string
  /** Runs a command; a browser that it opens is used by `person`. */
  run(line: string, more?: ShellOptions & { readonly person?: Person }): Promise<CommandOutcome>
  /** The sign-in that the profile `default` keeps. */
  readLogin(): StoredLogin | undefined
  /** Changes it on the disk, as time or somebody else would. */
  changeLogin(change: Partial<StoredLogin>): void
  stop(): Promise<void>
}

/** Starts both. The test that starts them stops them. */
export async function startSignInTwin(): Promise<SignInTwin> {
  const home = mkdtempSync(join(tmpdir(), 'skillgate-sign-in-'))
  const oidc = await startOidcServer({
    resource: ADMIN_AUDIENCE,
    claims: {
      ada: { groups: ['ops'], email: 'ada@example.com', email_verified: true },
      eve: { groups: ['guests'] },
    },
  })
  const issuer = {
    issuer: oidc.issuer,
    audiences: ['https://skillgate.example/mcp'],
    admin: {
      audiences: [ADMIN_AUDIENCE],
      clientId: CLI_CLIENT,
      scopes: ['openid', 'offline_access', 'admin'],
      roleOf: { claim: 'groups', values: { ops: 'operator' as const } },
    },
  }
  const options = {
    ...DEFAULT_OPTIONS,
    port: 0,
    data: home,
    memory: true,
    dynamodbEndpoint: undefined,
    issuers: [issuer],
    // The guard of addresses refuses loopback otherwise.
    outboundAllow: [new URL(oidc.issuer).host],
  }
  const twin = await startTwin(options, { call: () => {}, note: () => {} })
  const config = join(home, 'config', 'skillgate', 'config.json')
  const readConfig = () => JSON.parse(readFileSync(config, 'utf8'))
  return {
    twin,
    oidc,
    home,
    run: (line, { env, person, ...more } = {}) =>
      runLine(line.split(' '), {
        home,
        env: { XDG_CONFIG_HOME: join(home, 'config'), DISPLAY: ':0', ...env },
        answers: [],
        programs: {
          ...toPrograms({ PATH: join(home, 'bin') }),
          launch: (_file, args) => {
            const url = args.at(-1) ?? ''
            if (person !== undefined) void oidc.browse(url, person)
          },
        },
        ...more,
      }),
    readLogin: () => readConfig().profiles.default?.credential.login,
    changeLogin: (change) => {
      const all = readConfig()
      Object.assign(all.profiles.default.credential.login, change)
      writeFileSync(config, JSON.stringify(all))
    },
    stop: async () => {
      await twin.stop()
      await oidc.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
