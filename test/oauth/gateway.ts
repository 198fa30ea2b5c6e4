/** Gateways that people log in to, and what their administrator does. */
import type { Person } from './agent.ts'

/** One person's use of a gateway: what a row of the table needs. */
export type LoginWorld = {
  readonly mcp: string
  /** The person with a browser, who has what this gateway's login asks for. */
  readonly logIn: Person
  /** All access tokens so far have run out. */
  expire(): void
  /** The administrator ends what the person logs in with; it has reached every part of the gateway. */
  revoke(): Promise<void>
  /** Present if the login is one of a foreign authorization server. */
  readonly issuer?: {
    /** False if the challenge of an answer is renamed on its way, so that the gateway tells of a missing scope in words. */
    readonly isChallengeSeen: boolean
    /** How many requests with a token that has not run out were refused. */
    refusals(): number
    /** Whether access tokens of the next logins are for another resource. */
    issueForElsewhere(isElsewhere: boolean): void
    /** The person allows the client to list tools, and nothing more. */
    allowReading(): void
    allowAll(): void
  }
  close(): Promise<void>
}

/** A gateway that is started when the first client comes. */
export type GatewayStart = {
  /** The name shown in the table. */
  readonly name: string
  /** Whether it gets the documents of clients from this machine. */
  readonly readsDocuments: boolean
  start(): Promise<LoginGateway>
}

export type LoginGateway = {
  /** A world with a new person. */
  open(): Promise<LoginWorld>
  stop(): Promise<void>
}

/** A tool of every gateway of this suite; it answers its argument `text`. */
export const ECHO = 'sg_echo'

export type Administrator = (
  method: 'DELETE' | 'GET' | 'PATCH' | 'POST',
  path: string,
  body?: object,
) => Promise<{ readonly [name: string]: unknown }>

/** `admin` ends in `/v1/admin`. Rejects for any answer but a success. */
export function makeAdministrator(admin: string, adminKey: string): Administrator {
  return async (method, path, body) => {
    const answer = await fetch(`${admin}/${path}`, {
      method,
      headers: { 'x-admin-key': adminKey, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
    return text === '' ? {} : JSON.parse(text)
  }
}

/** A new user with credits and one key. `revoke` deletes the key. */
export async function addKeyHolder(
  ask: Administrator,
  uid: string,
): Promise<{ readonly key: string; revoke(): Promise<void> }> {
  await ask('POST', 'users', { username: uid, uid, credits: 100 })
  const { key, keyId } = await ask('POST', `users/${uid}/keys`, {})
  const revoke = async () => {
    await ask('DELETE', `users/${uid}/keys/${keyId}`)
  }
  return { key: String(key), revoke }
}
