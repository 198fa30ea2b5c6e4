/** Invitations: forged, with other characters, sent by a page of another site, in two browsers, and used. */
import { stringOf } from '../../e2e/fields.ts'
import { makeClient } from '../../local/login-client.ts'
import { openBrowser } from '../../local/login-person.ts'
import { EVERYWHERE } from '../attack.ts'
import { describePage, probingAttack } from '../probes.ts'

const ALLOW = { decision: 'allow' }

/** Sends few wrong links: they count as wrong keys of this network. */
export const LOGIN_INVITE_ATTACK = probingAttack({
  name: 'login-invitations',
  tried: 'forged links, links with more characters, forms of other sites, two browsers at once',
  on: EVERYWHERE,
  probe: async (target, note) => {
    const { origin } = target
    const { uid } = await target.user()
    const link = stringOf((await target.must('POST', `users/${uid}/invites`)).json(), 'link')
    const url = `${origin}${new URL(link).pathname}`
    const [first, second] = [openBrowser(origin), openBrowser(origin)]
    const client = await makeClient(origin)
    const open = async (at: string) => describePage(await openBrowser(origin).open(at))
    note('a forged link', '404', await open(`${origin}/invite/sgi_${'x'.repeat(43)}`))
    note('one character more', '404', await open(`${url}x`))
    note('markup', '404', await open(`${origin}/invite/${encodeURIComponent('<script>')}`))
    for (const browser of [first, second]) {
      note('the link', '200', describePage(await browser.open(url)))
    }
    const pages = [
      await first.open(client.authorizeUrl()),
      await second.open(client.authorizeUrl()),
    ] as const
    const invited = { use: 'invite' }
    const evil = await first.send(pages[0], invited, 'https://evil.example')
    note('a form of another site', '403', describePage(evil))
    const bare = await openBrowser(origin).send(pages[0], invited)
    note('a form without the cookies', '403', describePage(bare))
    const consents = [
      await first.send(pages[0], invited),
      await second.send(pages[1], invited),
    ] as const
    const ends = await Promise.all([
      first.send(consents[0], ALLOW),
      second.send(consents[1], ALLOW),
    ])
    note('both at once', '303 code, 404', ends.map(describePage).sort().join(', '))
    note('the used link', '404', await open(url))
    const late = openBrowser(origin)
    const page = await late.open(client.authorizeUrl())
    const key = new URL(link).pathname.slice('/invite/'.length)
    note('the used invitation as a key', '200', describePage(await late.send(page, { key })))
    note('no code of it', '200', describePage(await late.send(page, { key, ...ALLOW })))
  },
})
