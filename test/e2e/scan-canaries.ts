/** The texts that the scan searches for, new in each run, and planted ones that it must find. */
import { randomBytes } from 'node:crypto'
import { type Canary, canary, knownCanary } from './scanner.ts'

export type ScanCanaries = ReturnType<typeof scanCanaries>

type SetSecret = {
  readonly uid: string
  readonly name: string
  readonly value: Canary
  readonly skill?: string
}

/** Visible ASCII that changes in JSON, HTML, base64 and URLs. */
const ODD = '"/+=&<%\\'

export function scanCanaries() {
  const secrets: readonly SetSecret[] = [
    { uid: 'ada', name: 'MIRROR_KEY', value: canary('MIRROR_KEY of ada', ODD) },
    {
      uid: 'ada',
      name: 'MIRROR_KEY',
      value: canary('MIRROR_KEY of ada for one skill', ODD),
      skill: 'sg_spelled',
    },
    { uid: 'ada', name: 'Q_SECRET', value: canary('Q_SECRET', ODD) },
    { uid: 'ada', name: 'BODY_SECRET', value: canary('BODY_SECRET', `${ODD}ä\n🖨`) },
    { uid: 'ada', name: 'PASSWORD', value: canary('PASSWORD', ODD) },
    { uid: 'ada', name: 'SIGNING_KEY', value: canary('SIGNING_KEY', ODD) },
    { uid: 'ada', name: 'CLIENT_ID', value: canary('CLIENT_ID', ODD) },
    { uid: 'ada', name: 'CLIENT_SECRET', value: canary('CLIENT_SECRET', `${ODD}ä`) },
    { uid: 'bob', name: 'MIRROR_KEY', value: canary('MIRROR_KEY of bob', ODD) },
    { uid: 'bob', name: 'Q_SECRET', value: canary('Q_SECRET of bob, deleted', ODD) },
  ]
  return {
    args: {
      rest: canary('argument of a REST call', ' "ä'),
      stream: canary('argument of a tools/call', ' "ä'),
      otherBody: canary('argument beside a used Idempotency-Key'),
      unsent: canary('argument of a call that was refused'),
      bad: canary('argument that does not fit'),
    },
    secrets,
    shared: {
      previous: canary('shared secret before its rotation', ODD),
      value: canary('shared secret', ODD),
      forAll: canary('shared secret for all skills', ODD),
    },
    unused: canary('secret that was refused'),
    token: canary('access token'),
    idempotency: canary('Idempotency-Key'),
    stranger: knownCanary('key that nobody has', `sgk_${randomBytes(32).toString('base64url')}`),
    noSession: knownCanary('session that nobody has', randomBytes(32).toString('base64url')),
    planted: planted(),
  }
}

/**
 * `text` goes into a table and a tool list, `username` into the log: the scan must find them there.
 */
function planted() {
  const [plain, base64, hex] = ['as it is', 'as base64', 'as hex'].map((how) => canary(how))
  const texts = [
    plain?.value,
    Buffer.from(`x${base64?.value}`).toString('base64url'),
    Buffer.from(hex?.value ?? '').toString('hex'),
  ]
  const username = canary('username')
  const all = [plain, base64, hex, username].filter((one) => one !== undefined)
  return { text: texts.join(' '), username, all }
}
