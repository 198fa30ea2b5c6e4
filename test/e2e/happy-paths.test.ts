/** The twin passes the suite that every host passes. */
import { describeHappyPaths } from '../hosts/happy-paths.ts'
import { startUpstream } from '../lambda/doors/upstream.ts'
import { startTwin } from './twin.ts'

describeHappyPaths('the twin', async () => {
  const upstream = await startUpstream()
  const twin = await startTwin(['--memory', '--outbound-allow', upstream.host])
  const stop = async () => {
    await twin.stop()
    await upstream.stop()
  }
  return { ...twin, upstream, stop }
})
