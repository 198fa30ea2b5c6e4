/** Skills that want a signature of the gateway where none may go. */
import { attack, EVERYWHERE } from '../attack.ts'
import { callText, freshId, skillOf } from '../target.ts'

/** Hosts that look like AWS's, or that strangers have there. */
const ELSEWHERE = [
  'evil.amazonaws.com.example',
  'dynamodb.us-east-1.amazonaws.com.evil.example',
  'dynamodb.eu-north-1.amazonaws.com',
  'ec2-1-2-3-4.compute-1.amazonaws.com',
  'lb-1.elb.us-east-1.amazonaws.com',
  'x1.execute-api.us-east-1.amazonaws.com',
  'x1.lambda-url.us-east-1.on.aws',
  'api.example.com',
]
const LEDGER = 'dynamodb.us-east-1.amazonaws.com'

export const SIGNATURE_ATTACK = attack({
  name: 'signatures-elsewhere',
  tried:
    'skills that are signed for hosts of strangers, and as the gateway itself at its own ledger',
  on: EVERYWHERE,
  attempt: async (target) => {
    const { key, uid } = await target.user()
    const auth = { type: 'sigv4', service: 'dynamodb', region: 'us-east-1' }
    const push = (host: string, id: string, more: object = {}) =>
      target.ask(
        'POST',
        'sync_skill',
        JSON.stringify(
          skillOf(id, { endpoint: `https://${host}/`, method: 'POST', auth: { ...auth, ...more } }),
        ),
      )
    const stored: string[] = []
    for (const host of ELSEWHERE) {
      const answer = await push(host, `sg_${freshId()}`)
      if (answer.status < 400) stored.push(host)
    }
    const before = await target.credits(uid)
    const statuses: number[] = []
    for (const more of [{}, { role: 'arn:aws:iam::123456789012:role/admin' }]) {
      const id = `sg_${freshId()}`
      await push(LEDGER, id, more)
      const { status, text } = await target.call(key, callText(id))
      statuses.push(/does not sign|may not assume/.test(text) ? status : 0)
    }
    const after = await target.credits(uid)
    return { stored, statuses, lost: before.credits - after.credits }
  },
  judge: ({ lost, statuses, stored }) => {
    if (stored.length > 0) return `a skill is signed for ${stored.join(', ')}`
    if (lost !== 0) return `${lost} credits are gone`
    return statuses.every((status) => status === 502)
      ? undefined
      : 'a request at the ledger was not refused by its signature'
  },
  held: { stored: [], statuses: [502, 502], lost: 0 },
  broken: [
    { stored: ['evil.amazonaws.com.example'], statuses: [502, 502], lost: 0 },
    { stored: [], statuses: [0, 502], lost: 0 },
    { stored: [], statuses: [502, 502], lost: 1 },
  ],
})
