/**
 * Contract of the port CallLookup: which records a name may mean. Private ones, in this order: the
 * claimed tool name, the name without `{username}_`, the name with the service prefix.
 */
import { describe, expect, test } from 'vitest'
import { freshName, freshUser, privateSkillOf, profileOf, skillOf } from './fresh.ts'
import { type MakePorts, openedPorts } from './store-ports.ts'

const NOTHING = { private: undefined, official: undefined, market: undefined }

export function describeCallRecords(name: string, makePorts: MakePorts): void {
  describe(`${name}: call lookup`, () => {
    const opened = openedPorts(makePorts)

    test('the lookup finds nothing for an unknown user and an unknown name', async () => {
      const { callLookup } = opened()
      const skillId = freshName('sg_')
      const read = await callLookup.read({
        uid: freshName('u-'),
        name: skillId,
        skillId,
        cut: undefined,
      })
      expect(read).toEqual({ profile: undefined, candidates: NOTHING })
    })

    test('the lookup reads the profile as it is now', async () => {
      const ports = opened()
      const uid = await freshUser(ports, 7)
      const query = { uid, name: 'x', skillId: 'sg_x', cut: undefined }
      expect((await ports.callLookup.read(query)).profile).toEqual(profileOf(uid, { credits: 7 }))
      await ports.ledger.grant({ uid, grantId: 'g', amount: 5, creditsMax: 100, nowMs: 1 })
      expect((await ports.callLookup.read(query)).profile?.credits).toBe(12)
    })

    test('the lookup finds all three tiers under one skill id', async () => {
      const { callLookup, skills } = opened()
      const [uid, skillId] = [freshName('u-'), freshName('sg_')]
      await skills.put(privateSkillOf(uid, skillId), 0)
      await skills.put(skillOf(skillId), 0)
      await skills.put(skillOf(skillId, { source: 'market' }), 0)
      const read = await callLookup.read({ uid, name: skillId, skillId, cut: undefined })
      expect(read.candidates).toEqual({
        private: privateSkillOf(uid, skillId),
        official: skillOf(skillId),
        market: skillOf(skillId, { source: 'market' }),
      })
    })

    test('the lookup looks the shared tiers up by the prefixed id, not by the bare name or the cut one', async () => {
      const { callLookup, skills } = opened()
      const [bare, cut] = [freshName('bare-'), freshName('sg_')]
      await skills.put(skillOf(`sg_${bare}`), 0)
      await skills.put(skillOf(bare, { source: 'market' }), 0)
      await skills.put(skillOf(cut, { source: 'market' }), 0)
      const read = await callLookup.read({
        uid: freshName('u-'),
        name: bare,
        skillId: `sg_${bare}`,
        cut,
      })
      expect(read.candidates).toEqual({ ...NOTHING, official: skillOf(`sg_${bare}`) })
    })

    test('the lookup finds a private skill by its name without the username', async () => {
      const { callLookup, skills } = opened()
      const [uid, cut] = [freshName('u-'), freshName('sg_')]
      await skills.put(privateSkillOf(uid, cut), 0)
      const read = await callLookup.read({
        uid,
        name: `ada_${cut}`,
        skillId: `sg_ada_${cut}`,
        cut,
      })
      expect(read.candidates.private).toEqual(privateSkillOf(uid, cut))
    })

    test('the lookup prefers a claim for another skill to the cut name and the id', async () => {
      const { callLookup, skills } = opened()
      const uid = freshName('u-')
      const claimed = privateSkillOf(uid, 'sg_joke!', { toolName: 'ada_sg_joke_' })
      await skills.put(claimed, 0)
      await skills.put(privateSkillOf(uid, 'sg_joke_'), 0)
      await skills.put(privateSkillOf(uid, 'sg_ada_sg_joke_'), 0)
      await skills.claimToolName({ uid, toolName: 'ada_sg_joke_', skillId: 'sg_joke!' })
      const read = await callLookup.read({
        uid,
        name: 'ada_sg_joke_',
        skillId: 'sg_ada_sg_joke_',
        cut: 'sg_joke_',
      })
      expect(read.candidates.private).toEqual(claimed)
    })

    test('the lookup follows a claim after the username has changed', async () => {
      const { callLookup, skills } = opened()
      const uid = freshName('u-')
      await skills.put(privateSkillOf(uid, 'sg_joke'), 0)
      await skills.claimToolName({ uid, toolName: 'oldname_sg_joke', skillId: 'sg_joke' })
      const read = await callLookup.read({
        uid,
        name: 'oldname_sg_joke',
        skillId: 'sg_oldname_sg_joke',
        cut: undefined,
      })
      expect(read.candidates.private).toEqual(privateSkillOf(uid, 'sg_joke'))
    })

    test('the lookup falls back to the cut name if the claimed skill does not exist', async () => {
      const { callLookup, skills } = opened()
      const uid = freshName('u-')
      await skills.put(privateSkillOf(uid, 'sg_joke_'), 0)
      await skills.claimToolName({ uid, toolName: 'ada_sg_joke_', skillId: 'sg_joke!' })
      const read = await callLookup.read({
        uid,
        name: 'ada_sg_joke_',
        skillId: 'sg_ada_sg_joke_',
        cut: 'sg_joke_',
      })
      expect(read.candidates.private).toEqual(privateSkillOf(uid, 'sg_joke_'))
    })

    test('the lookup prefers the cut name to the prefixed id', async () => {
      const { callLookup, skills } = opened()
      const uid = freshName('u-')
      await skills.put(privateSkillOf(uid, 'sg_joke'), 0)
      await skills.put(privateSkillOf(uid, 'sg_ada_sg_joke'), 0)
      const read = await callLookup.read({
        uid,
        name: 'ada_sg_joke',
        skillId: 'sg_ada_sg_joke',
        cut: 'sg_joke',
      })
      expect(read.candidates.private?.skillId).toBe('sg_joke')
    })

    test("the lookup never finds another user's private skill, by claim, cut name or id", async () => {
      const { callLookup, skills } = opened()
      const [owner, other] = [freshName('u-'), freshName('u-')]
      const skillId = freshName('sg_')
      await skills.put(privateSkillOf(owner, skillId), 0)
      await skills.claimToolName({ uid: owner, toolName: `ada_${skillId}`, skillId })
      const byTool = await callLookup.read({
        uid: other,
        name: `ada_${skillId}`,
        skillId: 'sg_none',
        cut: skillId,
      })
      const byId = await callLookup.read({ uid: other, name: skillId, skillId, cut: undefined })
      expect([byTool.candidates, byId.candidates]).toEqual([NOTHING, NOTHING])
    })

    test('the lookup reads a private record as it is now', async () => {
      const { callLookup, skills } = opened()
      const [uid, skillId] = [freshName('u-'), freshName('sg_')]
      const query = { uid, name: skillId, skillId, cut: undefined }
      await skills.put(privateSkillOf(uid, skillId), 0)
      await callLookup.read(query)
      await skills.put(privateSkillOf(uid, skillId, { version: 2 }), 1)
      expect((await callLookup.read(query)).candidates.private?.version).toBe(2)
    })

    test('the lookup reads shared records, and their absence, as they are at the last broadcast', async () => {
      const { callLookup, clock, skills, toolListVersion } = opened()
      const [uid, skillId] = [freshName('u-'), freshName('sg_')]
      const query = { uid, name: skillId, skillId, cut: undefined }
      const broadcast = () => toolListVersion.write(clock.nowMs())
      const versions = async () => {
        const { candidates } = await callLookup.read(query)
        return [candidates.official?.version, candidates.market?.version]
      }
      // The second read is from the cache, where the store has one.
      await versions()
      clock.advance(6_000)
      expect([await versions(), await versions()]).toEqual([
        [undefined, undefined],
        [undefined, undefined],
      ])
      await skills.put(skillOf(skillId, { source: 'market' }), 0)
      await broadcast()
      expect(await versions()).toEqual([undefined, 1])
      await skills.put(skillOf(skillId), 0)
      await broadcast()
      expect(await versions()).toEqual([1, 1])
      clock.advance(6_000)
      expect([await versions(), await versions()]).toEqual([
        [1, 1],
        [1, 1],
      ])
      await skills.put(skillOf(skillId, { version: 2 }), 1)
      await skills.remove({ source: 'market', skillId }, 1)
      await broadcast()
      expect(await versions()).toEqual([2, undefined])
    })

    test('the lookup reads a shared record that is at most 30 s old without a broadcast', async () => {
      const { callLookup, skills, clock } = opened()
      const [uid, skillId] = [freshName('u-'), freshName('sg_')]
      const query = { uid, name: skillId, skillId, cut: undefined }
      expect((await callLookup.read(query)).candidates).toEqual(NOTHING)
      await skills.put(skillOf(skillId), 0)
      clock.advance(30_001)
      expect((await callLookup.read(query)).candidates.official?.version).toBe(1)
      await skills.put(skillOf(skillId, { version: 2 }), 1)
      clock.advance(30_001)
      expect((await callLookup.read(query)).candidates.official?.version).toBe(2)
    })
  })
}
