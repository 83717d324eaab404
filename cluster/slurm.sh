#!/bin/bash
# A Ray cluster of the nodes of one Slurm job, for one command:
#
#     sbatch --nodes 10 cluster/slurm.sh experiment run S1-F4 --work ~/journals --out ~/results
#
# The command runs on the first node with --on ray --address; what it has finished is in its
# journal, so a job whose time is up is submitted again and goes on. Folders named in the command
# must be on a file system that the first node sees; other nodes need none.
#SBATCH --job-name=katachi
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=16
#SBATCH --exclusive
#SBATCH --time=04:00:00
set -euo pipefail

if [ $# -eq 0 ]; then
    echo "say what to do: sbatch --nodes N $0 experiment run S1-F4" >&2
    exit 2
fi

environment=${KATACHI_ENV:-$HOME/katachi/.venv}  # with katachi[ray], on every node
port=${RAY_PORT:-6379}
store=${RAY_STORE:-2000000000}
export RAY_USAGE_STATS_ENABLED=0
# Only who knows this job's token may use its cluster. Without it Ray takes one that lies in the
# user's folder, which other nodes may not have and `ray status` does not look for.
RAY_AUTH_TOKEN=$(od -An -N32 -tx1 /dev/urandom | tr -d ' \n')
export RAY_AUTH_MODE=token RAY_AUTH_TOKEN
# shellcheck disable=SC1091
source "$environment/bin/activate"

mapfile -t nodes < <(scontrol show hostnames "$SLURM_JOB_NODELIST")
head=${nodes[0]}
address=$(srun --nodes=1 --ntasks=1 --nodelist="$head" hostname --ip-address)
address=${address%% *}:$port

begin() { # begin NODE ARGUMENT...: Ray on a node, as long as the job goes on
    local node=$1
    shift
    srun --nodes=1 --ntasks=1 --overlap --nodelist="$node" \
        ray start --block --num-cpus="$SLURM_CPUS_PER_TASK" --object-store-memory="$store" "$@" &
}

begin "$head" --head --port="$port"
first=$!
until ray status --address "$address" &> /dev/null; do
    sleep 2
    kill -0 "$first" 2> /dev/null || { echo "Ray does not run on $head" >&2; exit 1; }
done
for node in "${nodes[@]:1}"; do
    begin "$node" --address="$address"
done

katachi "$@" --on ray --address "$address"
