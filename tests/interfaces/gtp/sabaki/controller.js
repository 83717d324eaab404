// Drives an engine as Sabaki does and prints what it saw as one JSON object.
// Usage: node controller.js ENGINE ARGUMENT...
const {Controller, ControllerStateTracker} = require('@sabaki/gtp')

const play = (color, vertex) => ({name: 'play', args: [color, vertex]})
const position = moves => ({komi: 6.5, boardsize: [9, 9], history: moves})

async function analyse(controller, tracker) {
  const lines = []
  let enough
  const hasSome = new Promise(resolve => (enough = resolve))
  const analysis = controller.sendCommand({name: 'kata-analyze', args: ['W', '5']}, ({line}) => {
    lines.push(line)
    if (lines.filter(line => line.startsWith('info ')).length === 3) enough()
  })
  await hasSome
  const started = process.hrtime.bigint()
  const next = await controller.sendCommand({name: 'protocol_version'})
  const milliseconds = Number(process.hrtime.bigint() - started) / 1e6
  const response = await analysis
  return {lines, milliseconds, next: next.content, hasFailed: response.error}
}

async function main() {
  const [engine, ...args] = process.argv.slice(2)
  const controller = new Controller(engine, args)
  const tracker = new ControllerStateTracker(controller)
  const sent = []
  controller.on('command-sent', ({command}) => sent.push(command.name))
  controller.start()

  const opening = [play('B', 'D4'), play('W', 'F6'), play('B', 'F5'), play('B', 'E3')]
  await tracker.sync(position(opening))
  const first = (await controller.sendCommand({name: 'gogui-rules_board'})).content
  const sentBefore = sent.length
  await tracker.sync(position([...opening.slice(0, 3), play('W', 'C3')]))
  const resync = sent.slice(sentBefore)
  const second = (await controller.sendCommand({name: 'gogui-rules_board'})).content
  const analysis = await analyse(controller, tracker)
  const generated = []
  await controller.sendCommand({name: 'kata-genmove_analyze', args: ['B', '5']}, ({line}) =>
    generated.push(line)
  )
  const history = tracker.state.history.map(({args}) => args.join(' '))
  const knowsAnalyze = await tracker.knowsCommand('analyze')
  await controller.stop()
  console.log(
    JSON.stringify({first, second, resync, analysis, generated, history, knowsAnalyze})
  )
}

main().catch(error => {
  console.error(error)
  process.exit(1)
})
