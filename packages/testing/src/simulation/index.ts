export * as Report from "./Report.ts"
export * as Scenario from "./Scenario.ts"
export * as Simulation from "./Simulation.ts"
