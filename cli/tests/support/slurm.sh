#!/bin/sh
# A SLURM cluster on one machine, on loopback, for tests: `slurm.sh start FOLDER` writes FOLDER/slurm.conf and starts munge, a
# controller and a node; `slurm.sh stop FOLDER` ends those processes and no others. Needs root.
set -eu
root=$2
case $1 in
start)
  mkdir -p "$root/munge" "$root/state" "$root/spool"
  chmod 700 "$root/munge"
  head -c 1024 /dev/urandom >"$root/munge/key"
  chmod 400 "$root/munge/key"
  host=$(hostname -s)
  # Ports of this test alone, so that a real cluster on the machine stays out of it.
  port=$((20000 + $$ % 20000))
  cat >"$root/slurm.conf" <<CONF
ClusterName=ketbra
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
CredType=cred/munge
AuthInfo=socket=$root/munge/socket
SlurmctldPort=$port
SlurmdPort=$((port + 1))
StateSaveLocation=$root/state
SlurmdSpoolDir=$root/spool
SlurmctldPidFile=$root/slurmctld.pid
SlurmdPidFile=$root/slurmd.pid
SlurmctldLogFile=$root/slurmctld.log
SlurmdLogFile=$root/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=1
SchedulerParameters=sched_min_interval=0,sched_interval=1
NodeName=$host NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN
PartitionName=test Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
  export SLURM_CONF="$root/slurm.conf"
  munged --force --key-file="$root/munge/key" --socket="$root/munge/socket" --pid-file="$root/munge/pid" \
    --log-file="$root/munge/log" --seed-file="$root/munge/seed"
  slurmctld -c
  slurmd -N "$host"
  for _ in $(seq 150); do
    if sinfo --noheader --format=%T 2>/dev/null | grep -q idle; then exit 0; fi
    sleep 0.2
  done
  echo "the node did not come up" >&2
  tail -n 20 "$root/slurmctld.log" "$root/slurmd.log" >&2 || true
  exit 1
  ;;
stop)
  for pid in slurmd.pid slurmctld.pid munge/pid; do
    if [ -s "$root/$pid" ]; then kill "$(cat "$root/$pid")" || true; fi
  done
  ;;
*)
  echo "usage: slurm.sh start|stop FOLDER" >&2
  exit 2
  ;;
esac
